import { CliError } from '../../base/errors.ts';
import { type Command, command, type Context } from '../../cli/command.ts';
import type { Row } from '../../cli/output/rows.ts';
import { safeLines } from '../../cli/output/text.ts';
import { argument, chosen, option } from '../../cli/params.ts';
import type { InputOf, OutputOf, Remote } from '../../sandbox/remote/remote.ts';
import { listCommand, type Source, typeParam } from '../list.ts';
import { ask, controlled, longPoll } from './control.ts';
import { deliveryText, requestLine, storyText } from './lines.ts';

type Part = Pick<InputOf<'deliveries'>, 'after' | 'before' | 'limit'>;

interface LogRecord {
  /** Identifies it among the records after a cursor. */
  readonly id?: string;
  readonly at: string;
  readonly types: readonly Type[];
  readonly row: Row;
  /** The columns of the log of all types, besides at. */
  readonly brief: Readonly<Record<'type' | 'about' | 'status' | 'text' | 'id', unknown>>;
  /** False for a delivery before its first attempt. */
  readonly hasEnded?: boolean;
}

const types = ['messages', 'requests', 'events', 'deliveries'] as const;
type Type = (typeof types)[number];

const readers: Readonly<Record<Type, (sandbox: Remote, part: Part) => Promise<readonly LogRecord[]>>> = {
  messages: async (sandbox, part) =>
    (await sandbox.ask('messages', part)).map((row) => {
      const { id, sent_at: at, to: about, status, text } = row;
      return { at, types: ['messages'], row: { ...row }, brief: { type: 'message', about, status, text, id } };
    }),
  requests: async (sandbox, part) =>
    (await sandbox.ask('requests', part)).map((row) => {
      const { at, method, path, status, detail: text, message_id: id } = row;
      const brief = { type: 'request', about: `${method} ${path.replace(/^\/api\/public/, '')}`, status, text, id };
      return { at, types: ['requests'], row: { ...row }, brief };
    }),
  events: async (sandbox, part) =>
    (await sandbox.ask('events', part)).events.map(({ id, type, at, data }) => {
      const row = { at: new Date(at).toISOString(), id, type, data };
      return { at: row.at, types: ['events'], row, brief: { type: 'event', about: type, status: '', text: '', id } };
    }),
  deliveries: async (sandbox, part) =>
    (await sandbox.ask('deliveries', part)).map((row) => {
      const { at, id, type: about, url: text, state, attempts, last } = row;
      const brief = { type: 'event', about, status: last ?? state, text, id };
      const hasEnded = state !== 'waiting' || attempts > 0;
      return { at, types: ['events', 'deliveries'], row: { ...row }, brief, hasEnded };
    }),
};

/** The log whose cursor the records of a type have. */
const logOf = { requests: 'requests', messages: 'messages', events: 'events', deliveries: 'events' } as const;
const logs = ['requests', 'messages', 'events'] as const;
type Cursors = Readonly<Record<(typeof logs)[number], number>>;

/** The records of these types, in order of time. */
async function source({ host }: Context, sandbox: Remote, read: readonly Type[]): Promise<Source<LogRecord, Cursors>> {
  const cursors = async (): Promise<Cursors> => {
    const [requests = 0, messages = 0, events = 0] = await Promise.all(logs.map((of) => sandbox.ask('cursor', { of })));
    return { requests, messages, events };
  };
  const records = async (partOf: (log: keyof Cursors) => Part) => {
    const lists = read.map(async (type) => {
      const list = await readers[type](sandbox, partOf(logOf[type]));
      return list.map((record, index) => ({ ...record, id: `${type} ${index}` }));
    });
    const all = (await Promise.all(lists)).flat();
    // Records of one type are in order, even if the clock was set back.
    return read.length === 1 ? all : all.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  };
  return {
    end: cursors,
    async *before(cursor, wanted) {
      const limit = wanted === Infinity ? undefined : Math.max(1, wanted);
      yield* (await records((log) => ({ before: cursor[log], limit }))).reverse();
    },
    async after(cursor) {
      const enough = new AbortController();
      const signal = AbortSignal.any([host.signal, enough.signal]);
      const wait = (of: keyof Cursors) => sandbox.ask('cursor', { of, after: cursor[of], wait: longPoll }, signal);
      await Promise.race([...new Set(read.map((type) => logOf[type]))].map(wait));
      enough.abort();
      const next = await cursors();
      return { records: await records((log) => ({ after: cursor[log], before: next[log] })), cursor: next };
    },
    now: async () => Date.parse((await sandbox.ask('clock')).now),
  };
}

const params = {
  id: argument('[id]', 'of a message, event, delivery or key; shows everything about it'),
  redeliver: option('--redeliver <id>', 'deliver an event or a delivery once more, or failed: all that failed'),
} as const;

const about = {
  name: 'log',
  summary: 'List what the sandbox saw, or show all about one message, event, delivery or key',
  details: `With one --type it has all columns of that type. Deliveries are waiting (for the next attempt),
    delivered, dead (all attempts failed, or the webhook is disabled or removed), dropped (by a fault) or queued (no
    webhook wanted the event); forwarded is the answer of the handler behind webhooks listen --forward-to. A
    redelivery starts the attempts over; an event without a delivery goes to the webhooks of now.`,
  examples: ['sandbox log', 'sandbox log --type messages -o json', 'sandbox log -f', 'sandbox log --redeliver failed'],
} as const;

type Story =
  | { readonly message: OutputOf<'message'> }
  | { readonly requests: OutputOf<'audit'> }
  | { readonly deliveries: OutputOf<'delivery'> };

const show = command({
  ...about,
  params: { id: params.id },
  async run(context, { id = '' }): Promise<Story> {
    if (id.startsWith('msg_')) return { message: await ask(context, 'message', { id }) };
    if (id.startsWith('key_')) return { requests: await ask(context, 'audit', { key: id }) };
    if (/^(?:evt|dlv)_/.test(id)) return { deliveries: await ask(context, 'delivery', { id }) };
    const hint = 'bizmsg sandbox log lists messages, events and deliveries with their ids, sandbox set the keys';
    throw new CliError('notFound', 'not-found', `"${id}" is not the id of a message, event, delivery or key`, { hint });
  },
  data: (story) => Object.values(story)[0],
  view: (story, ui, raw) => {
    if ('message' in story) return storyText(story.message, ui);
    if ('deliveries' in raw) return raw.deliveries.map((delivery) => safeLines(deliveryText(delivery))).join('\n\n');
    const requests = 'requests' in story ? story.requests : [];
    return requests.map((row) => requestLine(row, ui)).join('\n') || 'No requests with this key';
  },
});

const redeliver = command({
  ...about,
  params: { redeliver: params.redeliver },
  changes: true,
  run: (context, { redeliver: id }) => ask(context, 'redeliver', id === 'failed' ? { failed: true } : { id }),
  view: ({ redelivered }, ui) =>
    redelivered === 0 ? 'Nothing to deliver again' : `${ui.color.green('Delivering again')}: ${redelivered}`,
});

/** Events without a delivery are among the deliveries, so the log of all types does not read events. */
const all = listing(['requests', 'messages', 'deliveries'], ['at', 'about', 'status', 'id', 'text', 'type']);

const single: Readonly<Record<Type, Command>> = {
  messages: listing(['messages'], ['sent_at', 'to', 'status', 'text', 'id', 'template']),
  requests: listing(['requests'], ['at', 'method', 'path', 'status', 'detail']),
  events: listing(['events'], ['at', 'type', 'id', 'data']),
  deliveries: listing(['deliveries'], ['at', 'id', 'type', 'state', 'attempts', 'last', 'forwarded']),
};

export const sandboxLog: Command = {
  ...all,
  run: (context, texts, emit) => {
    const type = types.find((name) => name === texts['type']?.at(-1));
    return (type ? single[type] : all).run(context, texts, emit);
  },
};

function listing(read: readonly Type[], first: readonly string[]): Command {
  return listCommand({
    ...about,
    noun: 'records',
    type: typeParam(types, 'types', `only these, comma-separated: ${types.join(', ')}`, (word) => chosen(word, types)),
    params,
    instead: { id: show, redeliver },
    first,
    open: async (context) => source(context, await controlled(context), read),
    entryOf: ({ at, row, brief, ...entry }: LogRecord) => {
      return { ...entry, at: Date.parse(at), row: read.length === 1 ? row : { at, ...brief } };
    },
    empty: 'Nothing yet',
  });
}
