import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { option, required } from '../../cli/params.ts';
import { usage } from '../../base/errors.ts';
import { requiredSecret, secretParams } from './secrets.ts';

export const signBody = command({
  name: 'sign',
  summary: 'Print the headers that sign a body, to send events with curl',
  details: [
    'The file is a body exactly as it will be sent, or an event file written by webhooks show --raw, whose id',
    'is kept. With bash:',
    '  curl -H @<(bizmsg webhooks sign body.json) --data-binary @body.json URL',
  ].join('\n'),
  params: {
    file: required('<file>', 'a body or an event file, or - for stdin'),
    id: option('--id <id>', 'the id of the event (default: a new one)', headerValue),
    timestamp: option('--timestamp <seconds>', 'the time of the signature in Unix seconds (default: now)', seconds),
    ...secretParams,
  },
  examples: ['webhooks sign - < body.json', 'webhooks sign body.json --secret-file secret.txt'],
  sample: 'webhook-id: evt_…\nwebhook-timestamp: 1777636800\nwebhook-signature: v1,…',
  accepts: ['profile', ...printOptions],
  piped: 'text',
  run: async (context, { file, id: wanted, timestamp: at, ...given }) => {
    const [bytes, secret] = [await context.bytes(file), await requiredSecret(context, given)];
    const [{ sign, signatureHeaders }, { readRaw }, { headerOf }] = await Promise.all([
      import('../../contract/signature.ts'),
      import('../../webhooks/event/raw.ts'),
      import('../../delivery/headers.ts'),
    ]);
    const { headers = [], body = bytes } = readRaw(bytes) ?? {};
    const id = wanted ?? headerOf(headers, signatureHeaders.id) ?? `evt_${(await import('node:crypto')).randomUUID()}`;
    const timestamp = at ?? Math.floor(context.host.now() / 1000);
    return {
      [signatureHeaders.id]: id,
      [signatureHeaders.timestamp]: String(timestamp),
      [signatureHeaders.signature]: sign({ id, timestamp, body }, secret),
    };
  },
  view: (headers) =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
});

function seconds(text: string): number {
  if (/^\d{1,11}$/.test(text)) return Number(text);
  throw usage(`"${text}" is not a number of seconds`);
}

/** An id that reaches the receiver unchanged. */
function headerValue(text: string): string {
  if (/^[!-~]+$/.test(text)) return text;
  throw usage(`"${text}" is not an id`, 'use printable ASCII without spaces');
}
