import { jsonText } from '../../base/json.ts';
import type { Ui } from '../../cli/command.ts';
import { cell } from '../../cli/output/rows.ts';
import { safeValue, startOf, widthOf } from '../../cli/output/text.ts';
import { isDelivered } from '../../contract/events.ts';
import type { EventItem, ForwardedItem } from '../../webhooks/items.ts';
import type { Printed } from '../../webhooks/listen.ts';

export interface Ready {
  readonly type: 'ready';
  readonly url: string;
  readonly port: number;
  /** The sandbox that sends the events. */
  readonly sandbox: string | null;
  /** Which replies opt out, if the list is kept. */
  readonly opt_outs: 'signed' | 'all' | null;
}

export function readyText({ url, sandbox, opt_outs: optOuts }: Ready, ui: Ui): string {
  const from = sandbox === null ? '' : ` for events of the sandbox ${sandbox}`;
  const kept = optOuts === null ? '' : `; ${optOutTexts[optOuts]}`;
  return ui.line([`${ui.color.green('Ready')} ${url}${from}${kept} (press Ctrl-C to stop)`]);
}

const optOutTexts = {
  signed: 'people who reply STOP in a signed event get no more messages',
  all: 'people who reply STOP get no more messages, also by unsigned events: no secret is known',
} as const;

export interface EventForm {
  readonly full: boolean;
  /** Formats a phone. */
  phone(phone: string): string;
}

/** An event on one line, with the result of its forward. Problems have lines below. */
export function eventText(printed: Printed, ui: Ui, form: EventForm): string {
  const { event, forward } = safeValue(printed);
  const below = [
    ...problems(event, ui),
    ...(forward && !isDelivered(forward) ? failure(forward, printed.forward?.body, ui) : []),
    ...(form.full ? bodyLines(event, ui) : []),
  ];
  return [lineOf(event, forward, ui, form), ...below.map((line) => `  ${line}`)].join('\n');
}

/** The widths of the columns on a terminal, and of the result of a forward. */
const [nameWidth, phoneWidth, resultWidth] = [17, 15, 16];
const before = '14:02:11 '.length + nameWidth + 2 + phoneWidth + 2;
/** Far to the right, a result would not look like that of its event. */
const widestSubject = 44;
/** On a narrower terminal, columns would only break more lines. */
const widthForColumns = 80;

function lineOf(event: EventItem, forward: ForwardedItem | undefined, ui: Ui, form: EventForm): string {
  const result = forward ? resultText(forward, ui) : [];
  const name = event.name ?? 'unnamed';
  if (!ui.terminal || ui.width < widthForColumns) {
    // To break a long text takes long, and other events would wait.
    const subject = subjectOf(event, ui.terminal ? 2 * ui.width : Infinity);
    const fields = [ui.time(event.received_at), ui.color.bold(name), event.phone ?? '', subject];
    return ui.line([...fields.filter((field) => field !== ''), ...result]);
  }
  const room = forward ? Math.min(ui.width - before - resultWidth - 3, widestSubject) : ui.width - before;
  const phone = event.phone === null ? '' : form.phone(event.phone);
  const columns = [
    padded(ui.color.bold(name), nameWidth),
    padded(phone, phoneWidth),
    forward ? padded(subjectOf(event, room), room) : subjectOf(event, room),
  ];
  const time = ui.time(event.received_at).slice(0, 8);
  return [`${time} ${columns[0]}`, ...columns.slice(1), ...result].join('  ').trimEnd();
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** The subject of an event, in at most `room` columns. */
function subjectOf({ name, message_id: id, about, reason, opt_out: optOut }: EventItem, room: number): string {
  const change = optOut === undefined || optOut === 'unclear' ? '' : ` ${optOut}`;
  if (name === 'message.received' && about !== null) return `"${startOf(about, room - 2 - change.length)}"${change}`;
  if (reason !== null) return startOf(reason, room);
  const text = about ?? '';
  if (id === null) return startOf(text, room);
  // The ends of ids differ.
  return id.length <= room ? id : `${id.slice(0, 4)}…${id.slice(5 - room)}`;
}

function resultText(forward: ForwardedItem, { color }: Ui): readonly string[] {
  const paint = isDelivered(forward) ? color.green : color.red;
  return [`→ ${paint(cell(forward.status ?? 'failed'))} ${String(forward.ms).padStart(4)} ms`];
}

function problems({ signature, problem }: EventItem, { color }: Ui): readonly string[] {
  return [
    ...(signature.verdict === 'bad' ? [color.red(`bad signature: ${signature.why}`)] : []),
    ...(problem === undefined ? [] : [color.yellow(`body not read: ${problem}`)]),
  ];
}

/** The first lines of a handler's answer. */
const shownLines = 3;
const longestLine = 200;

function failure({ error, retry_in: retry }: ForwardedItem, body: string | undefined, ui: Ui): readonly string[] {
  const answer = body === undefined ? [] : ui.outside(body).trim().split('\n').slice(0, shownLines);
  return [
    ...(error === undefined ? [] : [ui.color.red(error)]),
    ...answer.map((line) => ui.color.dim(line.slice(0, longestLine))),
    ...(retry === undefined ? [] : [`again in ${retry / 1000} s`]),
  ];
}

function bodyLines({ body, encoding }: EventItem, ui: Ui): readonly string[] {
  if (body === null) return [];
  return (encoding === undefined ? jsonText(body, 2) : textIn(cell(body), ui)).split('\n');
}

function textIn(base64: string, ui: Ui): string {
  const text = Buffer.from(base64, 'base64').toString();
  return Buffer.from(text).toString('base64') === base64 ? ui.outside(text) : `${base64} (base64)`;
}
