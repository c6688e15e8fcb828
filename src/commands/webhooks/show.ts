import { writeFileSync } from 'node:fs';
import { usage } from '../../base/errors.ts';
import { statsOf } from '../../base/files.ts';
import { jsonText } from '../../base/json.ts';
import { command, type Context, type Ui } from '../../cli/command.ts';
import { safeLines } from '../../cli/output/text.ts';
import { argument, option } from '../../cli/params.ts';
import { eventOf, unpack } from '../../webhooks/event/event.ts';
import { writeRaw } from '../../webhooks/event/raw.ts';
import { findEvent } from '../../webhooks/history.ts';
import { headerOf } from '../../delivery/headers.ts';
import type { Forwarded, Past } from '../../logs/forwards.ts';
import { withRecordedEvents } from './recorded.ts';

export const showEvent = command({
  name: 'show',
  summary: 'Show a received event with its headers, body and forwards',
  details: `With --raw the event is written as received: request line, headers, an empty line, body. webhooks verify
    reads such a file. An existing file is overwritten only after a question, or with --yes.`,
  params: {
    id: argument('[id]', 'the id of an event from webhooks list, or its beginning (default: the newest event)'),
    raw: option('--raw <file>', 'write the event as received to a file, or - for stdout'),
  },
  examples: ['webhooks show', 'webhooks show --raw -', 'webhooks show e12 --raw event.http'],
  piped: 'verbatim',
  run: async (context, { id, raw }) => {
    const { output, columns } = context.given;
    if (raw !== undefined && (output ?? columns) !== undefined)
      throw usage('--raw cannot be combined with other output options', 'leave out -o and --columns');
    const past = await withRecordedEvents(context, (logs) => findEvent(logs, id));
    return raw === undefined ? shown(past) : written(context, past, raw);
  },
  data: (result) => ('past' in result ? dataOf(result) : result),
  view: (result, ui, raw) => {
    if ('past' in result) return eventText(result, 'past' in raw ? raw.past.forwards : [], ui);
    return 'raw' in result ? result.raw : `${ui.color.green('Wrote')} ${result.id} to ${result.file}\n`;
  },
});

type Shown = ReturnType<typeof shown>;

/** An event to show. Its bytes reach the view unchanged. */
function shown(past: Past) {
  const { body, ...event } = eventOf(past.event);
  const { bytes } = unpack(past.event.body, headerOf(past.event.headers, 'content-encoding'));
  return { past, event, body, bytes: Buffer.from(bytes) };
}

type Written = { readonly raw: Buffer } | { readonly id: string; readonly file: string };

async function written(context: Context, { event }: Past, file: string): Promise<Written> {
  const raw = writeRaw(event);
  if (file === '-') return { raw };
  const present = statsOf(file);
  if (present?.isFile() && present.size > 0) await context.confirm(`Overwrite ${file}?`);
  writeFileSync(file, raw, { mode: 0o600 });
  return { id: event.id, file };
}

/** The body as a value if it is JSON, else as text or base64. */
function dataOf({ past, event, body, bytes }: Shown) {
  const { id, received_at: at, method, path, remote, port, headers } = past.event;
  const isBytes = body.kind === 'bytes';
  return {
    id,
    received_at: new Date(at).toISOString(),
    ...event,
    method,
    path,
    remote,
    port,
    headers,
    body: body.kind === 'json' ? body.value : bytes.toString(isBytes ? 'base64' : 'utf8'),
    ...(isBytes && { encoding: 'base64' }),
    forwards: past.forwards.map(({ forwarded_at: sent, ...forward }) => ({
      at: new Date(sent).toISOString(),
      ...forward,
    })),
  };
}

function eventText({ past, event, body, bytes }: Shown, forwards: Past['forwards'], ui: Ui): string {
  const { id, received_at: at, remote, port, method, path, headers } = past.event;
  const about = [event.message_id, event.phone, event.about, event.reason].filter((text) => text !== undefined);
  return [
    ui.line([ui.color.bold(id), new Date(at).toISOString(), event.name ?? 'no name']),
    ui.line([`from ${remote} to port ${port}${about.length > 0 ? `: ${about.join(', ')}` : ''}`]),
    '',
    `${method} ${path}`,
    ...headers.map(([name, value]) => `${ui.color.dim(`${name}:`)} ${value}`),
    ...(body.kind === 'none' ? [] : ['', bodyText(body, bytes, ui)]),
    ...(event.problem === undefined ? [] : ['', `The body is shown as received: ${event.problem}`]),
    ...(forwards.length > 0 ? ['', ...forwards.map((forward) => forwardText(forward, ui))] : []),
    '',
  ].join('\n');
}

function bodyText(body: Shown['body'], bytes: Buffer, ui: Ui): string {
  if (body.kind === 'bytes') return `${bytes.length} bytes that are not text: use --raw`;
  return ui.outside(body.kind === 'json' && ui.terminal ? jsonText(body.value, 2) : bytes.toString());
}

/** When and where an event was forwarded, and the answer with its body below. */
function forwardText({ forwarded_at: at, url, status, error, ms, body }: Forwarded, ui: Ui): string {
  const answer = [status, error].filter((text) => text !== undefined).join(' ');
  const line = ui.line(['forwarded', new Date(at).toISOString(), url, answer, `${ms} ms`]);
  return body === undefined ? line : `${line}\n${safeLines(body).trimEnd().replaceAll(/^/gm, '  ')}`;
}
