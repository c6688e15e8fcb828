import { CliError, usage } from '../../base/errors.ts';
import { statsOf } from '../../base/files.ts';
import { parseJson } from '../../base/json.ts';
import { command, type Context, type Ui } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { argument, option } from '../../cli/params.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import type { WebhookEvent } from '../../webhooks/event/event.ts';
import type { Forwarded, Past } from '../../logs/forwards.ts';
import type { History } from '../../webhooks/history.ts';
import { remoteOf } from '../sandbox/control.ts';
import { storyText } from '../sandbox/lines.ts';
import { withHistory } from './recorded.ts';
import { eventRow } from './selection.ts';

export const showEvent = command({
  name: 'show',
  summary: 'Show a received event, or all that happened to a message',
  details: [
    'An event has headers, a body, and its forwards with their answers. A message of the local sandbox has its',
    'request, text, receipts, events and deliveries; any message has the events that listeners on this machine',
    'received for it.',
    'With --raw the event is written as received: request line, headers, an empty line, body. webhooks verify',
    'reads such a file. An existing file is overwritten only after a question, or with --yes.',
  ].join('\n'),
  params: {
    id: argument(
      '[id]',
      'the id of an event from webhooks history, its beginning, or a message id (default: the newest event)',
    ),
    raw: option('--raw <file>', 'write the event as received to a file, or - for stdout'),
  },
  examples: ['webhooks show', 'webhooks show --raw -', 'webhooks show e12 --raw event.http'],
  sample:
    'e12  2026-…  message.read\nfrom 127.0.0.1 to port 4781: msg_…, +12025550101\n\nPOST /hooks\nContent-Type: application/json\n…\n\n{"type":"message.read",…\n\nforwarded  2026-…  http://127.0.0.1:3000/hooks  200  12 ms',
  accepts: printOptions,
  piped: 'verbatim',
  run: async (context, { id, raw }) => {
    const { output, columns } = context.given;
    if (raw !== undefined && (output ?? columns) !== undefined)
      throw usage('--raw cannot be combined with other output options', 'leave out -o and --columns');
    return withHistory(context, (history) => found(context, history, { id, raw }));
  },
  data: (result) => ('past' in result ? dataOf(result) : result),
  view: (result, ui) => {
    if ('received' in result) return messageText(result, ui);
    if ('past' in result) return eventText(result, ui);
    return 'raw' in result ? result.raw : `${ui.color.green('Wrote')} ${result.id} to ${result.file}\n`;
  },
});

interface Wanted {
  readonly id: string | undefined;
  readonly raw: string | undefined;
}

async function found(context: Context, history: History | undefined, { id, raw }: Wanted) {
  const { findEvent } = await import('../../webhooks/history.ts');
  try {
    const past = await findEvent(history, id);
    return raw === undefined ? await shown(past) : await written(context, past, raw);
  } catch (error) {
    if (!(error instanceof CliError && error.exit === 'notFound') || id === undefined || raw !== undefined) throw error;
    const message = await findMessage(context, history, id);
    if (!message) throw error;
    return message;
  }
}

async function shown(past: Past): Promise<Shown> {
  const [{ eventOf }, { headerOf }, { unpack }] = await Promise.all([
    import('../../webhooks/event/event.ts'),
    import('../../delivery/headers.ts'),
    import('../../delivery/unpack.ts'),
  ]);
  const { body, ...event } = eventOf(past.event);
  const { bytes } = unpack(past.event.body, headerOf(past.event.headers, 'content-encoding'));
  return { past, event, body: Buffer.from(bytes), kind: body.kind };
}

type Written = { readonly raw: Buffer } | { readonly id: string; readonly file: string };

async function written(context: Context, { event }: Past, file: string): Promise<Written> {
  const [{ writeRaw }, { closeSync, constants, openSync, writeFileSync }] = await Promise.all([
    import('../../webhooks/event/raw.ts'),
    import('node:fs'),
  ]);
  const raw = writeRaw(event);
  if (file === '-') return { raw };
  const present = statsOf(file);
  if (present?.isFile() && present.size > 0) await context.confirm(`Overwrite ${file}?`);
  // A pipe that nothing reads would block forever, even on signals.
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK } = constants;
  const fd = openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0o600);
  try {
    writeFileSync(fd, raw);
  } finally {
    closeSync(fd);
  }
  return { id: event.id, file };
}

/** The body as a value if it is JSON, else as text or base64. */
function dataOf({ past: { event: received, forwards }, event, body, kind }: Shown) {
  const { id, received_at: at, method, path, remote, port, headers } = received;
  return {
    id,
    received_at: new Date(at).toISOString(),
    ...event,
    method,
    path,
    remote,
    port,
    headers,
    body:
      kind === 'json'
        ? parseJson(body.toString().replace(/^\ufeff/, ''))
        : body.toString(kind === 'bytes' ? 'base64' : 'utf8'),
    ...(kind === 'bytes' && { encoding: 'base64' }),
    forwards: forwards.map(({ forwarded_at: sent, url, status, error, ms, body }) => ({
      at: new Date(sent).toISOString(),
      url,
      status,
      error,
      ms,
      body,
    })),
  };
}

/** An event to show. Its body is bytes, which reach the view unchanged. */
interface Shown {
  readonly past: Past;
  readonly event: Omit<WebhookEvent, 'body'>;
  readonly body: Buffer;
  readonly kind: WebhookEvent['body']['kind'];
}

/** An event with headers, body and forwarding attempts. */
function eventText({ past: { event: received, forwards }, event, body, kind }: Shown, ui: Ui): string {
  const { id, received_at: at, remote, port, method, path, headers } = received;
  const about = [event.message_id, event.phone, event.about, event.reason].filter((one) => one !== undefined);
  return [
    ui.line([ui.color.bold(id), new Date(at).toISOString(), event.name ?? 'no name']),
    ui.line([`from ${remote} to port ${port}${about.length > 0 ? `: ${about.join(', ')}` : ''}`]),
    '',
    `${method} ${path}`,
    ...headers.map(([name, value]) => `${ui.color.dim(`${name}:`)} ${value}`),
    ...(kind === 'none' ? [] : ['', bodyText(body, kind, ui)]),
    ...(event.problem === undefined ? [] : ['', `The body is shown as received: ${event.problem}`]),
    ...(forwards.length > 0 ? ['', ...forwards.map((one) => forwardText(one, ui))] : []),
    '',
  ].join('\n');
}

function bodyText(body: Buffer, kind: Shown['kind'], ui: Ui): string {
  if (kind === 'bytes') return `${body.length} bytes that are not text: use --raw`;
  const text = body.toString();
  return ui.outside(kind === 'json' && ui.terminal ? prettyJson(text) : text);
}

/** When and where an event was forwarded, and the answer with its body below. */
function forwardText({ forwarded_at: at, url, status, error, ms, body }: Forwarded, ui: Ui): string {
  const answered = [status, error].filter((one) => one !== undefined).join(' ');
  const line = ui.line(['forwarded', new Date(at).toISOString(), url, answered, `${ms} ms`]);
  return body === undefined ? line : `${line}\n  ${body}`;
}

const opening = /^[[{]$/;
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s"[\]{},:]+/g;

/** Indents JSON without parsing it, which would change long numbers. */
export function prettyJson(json: string): string {
  let [text, depth, before] = ['', 0, ''];
  const indent = () => `\n${'  '.repeat(depth)}`;
  for (const [part] of json.matchAll(token)) {
    const closes = part === ']' || part === '}';
    if (closes) depth -= 1;
    const begins = opening.test(before) || before === ',';
    if (closes ? !opening.test(before) : begins) text += indent();
    text += part === ':' ? ': ' : part;
    if (opening.test(part)) depth += 1;
    before = part;
  }
  return text;
}

/** A message: its story in the sandbox, and the events of listeners that mention it. */
interface FoundMessage {
  /** Null if no sandbox of this machine sent it. */
  readonly message: OutputOf<'message'> | null;
  readonly received: readonly ReturnType<typeof eventRow>[];
}

/** Undefined if neither a running sandbox nor a listener knows this id. */
async function findMessage(
  context: Context,
  history: History | undefined,
  id: string,
): Promise<FoundMessage | undefined> {
  const [message, received] = [await sandboxMessage(context, id), await receivedEvents(history, id)];
  return message || received.length > 0 ? { message: message ?? null, received } : undefined;
}

async function sandboxMessage(context: Context, id: string): Promise<OutputOf<'message'> | undefined> {
  const sandboxes = await context.sandboxes();
  for (const running of await sandboxes.all()) {
    try {
      return await (await remoteOf(running)).ask('message', { id });
    } catch (error) {
      if (!(error instanceof CliError && error.exit === 'notFound')) throw error;
    }
  }
  return undefined;
}

/** Oldest first. */
async function receivedEvents(history: History | undefined, id: string): Promise<FoundMessage['received']> {
  const [{ newestFirst }, { eventOf, mentions }] = await Promise.all([
    import('../../webhooks/history.ts'),
    import('../../webhooks/event/event.ts'),
  ]);
  const found: { readonly past: Past; readonly event: WebhookEvent }[] = [];
  for await (const past of newestFirst(history)) {
    const event = mayMention(past, id) ? eventOf(past.event) : undefined;
    if (event && mentions(event, id)) found.push({ past, event });
  }
  return found.reverse().map(eventRow);
}

/** Parsing every event would take seconds. */
function mayMention({ event: { body, headers } }: Past, id: string): boolean {
  return body.includes(id) || headers.some(([name]) => name.toLowerCase() === 'content-encoding');
}

function messageText({ message, received }: FoundMessage, ui: Ui): string {
  const lines = received.map(({ id, received_at: at, name, answered }) =>
    ui.line([ui.time(at), name ?? 'unnamed', id, ...(answered === null ? [] : [`forwarded: ${answered}`])]),
  );
  const story = message ? [storyText(message, ui)] : [];
  const events = lines.length > 0 ? [['Received by bizmsg webhooks listen:', ...lines].join('\n')] : [];
  return `${[...story, ...events].join('\n\n')}\n`;
}
