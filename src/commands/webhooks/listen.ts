import { jsonText } from '../../base/json.ts';
import { streaming, type Ui } from '../../cli/command.ts';
import { cell } from '../../cli/output/rows.ts';
import { eventNames, isDelivered } from '../../contract/events.ts';
import type { EventItem, ForwardedItem, Item } from '../../webhooks/items.ts';
import { listenParams, openListener, type Ready } from './listener.ts';

export const listenForEvents = streaming({
  name: 'listen',
  summary: 'Receive events on this machine, and show, record and forward them',
  details: [
    'With --profile local it receives the events of the sandbox; those of an account arrive through a public address',
    'that leads here. Every event is recorded, answered, then forwarded with its original bytes and headers;',
    'webhooks history and show print it later. --events and --where choose what is shown and forwarded. Before',
    'forwarding to another machine it asks, or needs --yes.',
  ].join('\n'),
  params: listenParams,
  examples: [
    'webhooks listen --profile local',
    'webhooks listen --profile local --forward-to 3000/hooks --retry',
    'webhooks listen --events message.failed,order.paid --full',
    'webhooks listen --events order -o ndjson',
    'webhooks listen --opt-outs --profile acme',
  ],
  sample:
    'Ready http://127.0.0.1:4781 for events of the sandbox …\n2026-…  e12  message.delivered  +12025550101  msg_…  signed\n…',
  accepts: ['profile', 'mode', 'output'],
  piped: 'text',
  async *run(context, input): AsyncGenerator<readonly (Item | Ready)[], Ended> {
    const listener = await openListener(context, input);
    try {
      yield [listener.ready];
      yield* listener.items();
      return { type: 'ended', url: listener.ready.url };
    } finally {
      await listener.close();
    }
  },
  line: (item, ui, { full }) => itemLine(item, ui, full),
  view: ({ url }) => `Stopped ${url}`,
});

interface Ended {
  readonly type: 'ended';
  readonly url: string;
}

/** A line for people. All texts in the item are safe already. */
export function itemLine(item: Item | Ready, ui: Ui, isFull: boolean): string {
  if (item.type === 'ready') return readyLine(item, ui);
  if (item.type === 'forwarded') return forwardedLine(item, ui);
  return isFull ? [eventLine(item, ui), ...bodyLines(item, ui)].join('\n') : eventLine(item, ui);
}

function readyLine({ url, sandbox, opt_outs: optOuts }: Ready, ui: Ui): string {
  const from = sandbox === null ? '' : ` for events of the sandbox ${sandbox}`;
  const kept = optOuts === null ? '' : `; ${optOutTexts[optOuts]}`;
  return ui.line([`${ui.color.green('Ready')} ${url}${from}${kept} (press Ctrl-C to stop)`]);
}

const optOutTexts = {
  signed: 'people who reply STOP in a signed event get no more messages',
  all: 'people who reply STOP get no more messages, also by unsigned events: no secret is known',
} as const;

/** On a narrower terminal, columns would only break more lines. */
const widthForColumns = 80;
const widestName = Math.max(...eventNames.map((name) => name.length));
const usualPhone = '+12025550101'.length;
const longestAbout = 200;

function eventLine(item: EventItem, ui: Ui): string {
  const { received_at: at, id, name, message_id, phone, about, reason } = item;
  const isAligned = ui.terminal && ui.width >= widthForColumns;
  const title = name ?? 'unnamed';
  const padding = isAligned ? ' '.repeat(Math.max(0, widestName - title.length)) : '';
  const padded = isAligned ? (phone ?? '').padEnd(usualPhone) : phone;
  const known = [padded, message_id, about?.slice(0, longestAbout) ?? null, reason].filter((one) => one !== null);
  const notes = [
    ...(item.again ? ['repeated'] : []),
    ...(item.problem === undefined ? [] : [`body not read: ${item.problem}`]),
  ].map((note) => ui.color.yellow(note));
  return ui.line([ui.time(at), ui.color.dim(id), ui.color.bold(title) + padding, ...known, signed(item, ui), ...notes]);
}

function signed({ signature }: EventItem, { color }: Ui): string {
  if (signature.verdict === 'good')
    return color.green(signature.by === undefined ? 'signed' : `signed by ${signature.by}`);
  if (signature.verdict === 'bad') return color.red(`bad signature: ${signature.why}`);
  const isUnsigned = signature.verdict === 'unsigned';
  return color.yellow(isUnsigned ? 'not signed' : 'signature not checked: no secret known');
}

function forwardedLine(item: ForwardedItem, ui: Ui): string {
  const { color } = ui;
  const { event, url, status, ms, error, body, retry_in: retry } = item;
  const isDone = isDelivered(item);
  const result = [...(status === undefined ? [] : [cell(status)]), ...(error === undefined ? [] : [error])].join(', ');
  const next = retry === undefined ? [] : [`again in ${retry / 1000} s`];
  const answer = isDone || body === undefined ? [] : [color.dim(body.slice(0, 200))];
  const outcome = (isDone ? color.green : color.red)(result);
  // Errors contain the time if it matters.
  const took = error === undefined ? ` in ${ms} ms` : '';
  return ui.line([`  → ${outcome}${took}`, color.dim(event), url, ...next, ...answer], '    ');
}

function bodyLines({ body, encoding }: EventItem, ui: Ui): readonly string[] {
  if (body === null) return [];
  const text = encoding === undefined ? jsonText(body, 2) : textIn(cell(body), ui);
  return text.split('\n').map((line) => `  ${line}`);
}

function textIn(base64: string, ui: Ui): string {
  const text = Buffer.from(base64, 'base64').toString();
  return Buffer.from(text).toString('base64') === base64 ? ui.outside(text) : `${base64} (base64)`;
}
