import { isoTime } from '../../base/iso-time.ts';
import { type Command, command, type Context } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import type { Row } from '../../cli/output/rows.ts';
import { argument, chosen, option } from '../../cli/params.ts';
import type { InputOf, OutputOf, Remote } from '../../sandbox/remote/remote.ts';
import { listCommand, type Source } from '../list.ts';
import { ask, controlled } from './control.ts';
import { deliveryText, requestLine, storyText } from './lines.ts';

const types = ['messages', 'requests', 'events', 'deliveries'] as const;
type Type = (typeof types)[number];

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

type Part = Pick<InputOf<'deliveries'>, 'after' | 'before' | 'limit'>;
type Reader = (sandbox: Remote, part: Part) => Promise<readonly LogRecord[]>;

const readers: Readonly<Record<Type, Reader>> = {
  messages: async (sandbox, part) =>
    (await sandbox.ask('messages', part)).map((row) => {
      const { id, sent_at: at, to, status, text } = row;
      return { at, types: ['messages'], row: { ...row }, brief: { type: 'message', about: to, status, text, id } };
    }),
  requests: async (sandbox, part) =>
    (await sandbox.ask('requests', part)).map((row) => {
      const { at, method, path, status, detail, message_id: id } = row;
      const brief = { type: 'request', about: `${method} ${path}`, status, text: detail, id };
      return { at, types: ['requests'], row: { ...row }, brief };
    }),
  async events(sandbox, { after, before = 0, limit = Infinity }) {
    const { events, cursor } = await sandbox.ask('events', { after: after ?? Math.max(0, before - limit) });
    return events.slice(0, Math.max(0, events.length - (cursor - before))).map((event) => {
      const { id, type, data } = event;
      const row = { at: isoTime(event.at), id, type, data };
      return { at: row.at, types: ['events'], row, brief: { type: 'event', about: type, status: '', text: '', id } };
    });
  },
  deliveries: async (sandbox, part) =>
    (await sandbox.ask('deliveries', part)).map((row) => {
      const { at, id, type, url, state, attempts, last } = row;
      const brief = { type: 'event', about: type, status: last ?? state, text: url, id };
      const hasEnded = state !== 'waiting' || attempts > 0;
      return { at, types: ['events', 'deliveries'], row: { ...row }, brief, hasEnded };
    }),
};

const params = {
  id: argument('[id]', 'of a message, event, delivery or key; shows everything about it'),
  redeliver: option('--redeliver <id>', 'deliver an event or a delivery once more, or failed: all that failed'),
} as const;

const about = {
  name: 'log',
  summary: 'List what the sandbox saw, or show all about one message, event, delivery or key',
  examples: ['sandbox log', 'sandbox log --type messages -o json', 'sandbox log -f', 'sandbox log --redeliver failed'],
  sample:
    'at\ttype\tabout\tstatus\ttext\tid\n…\n2026-…\tmessage\t+12025550103\taccepted\tWelcome!…\tmsg_sandbox_5c1f2a9e\n…',
} as const;

type Story =
  | { readonly kind: 'message'; readonly story: OutputOf<'message'> }
  | { readonly kind: 'deliveries'; readonly deliveries: OutputOf<'delivery'> }
  | { readonly kind: 'requests'; readonly requests: OutputOf<'audit'> };

const show = command({
  ...about,
  params: { id: params.id },
  accepts: printOptions,
  piped: 'text',
  async run(context, { id = '' }): Promise<Story> {
    if (id.startsWith('msg_')) return { kind: 'message', story: await ask(context, 'message', { id }) };
    if (id.startsWith('key_')) return { kind: 'requests', requests: await ask(context, 'audit', { key: id }) };
    return { kind: 'deliveries', deliveries: await ask(context, 'delivery', { id }) };
  },
  data: (result) =>
    result.kind === 'message' ? result.story : result.kind === 'requests' ? result.requests : result.deliveries,
  view: (result, ui) => {
    if (result.kind === 'message') return storyText(result.story, ui);
    if (result.kind === 'deliveries') return result.deliveries.map(deliveryText).join('\n\n');
    return result.requests.map((row) => requestLine(row, ui)).join('\n') || 'No requests with this key';
  },
});

const redeliver = command({
  ...about,
  params: { redeliver: params.redeliver },
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { redeliver: id }) => {
    const isAll = id === 'failed';
    const { redelivered, remaining } = await ask(context, 'redeliver', isAll ? { failed: true } : { id });
    if (isAll) for (const text of skipped(remaining)) context.note('not-redelivered', text);
    return { redelivered };
  },
  view: ({ redelivered }, ui) =>
    redelivered === 0 ? 'Nothing to deliver again' : `${ui.color.green('Delivering again')}: ${redelivered}`,
});

function skipped({ disabled, removed }: OutputOf<'redeliver'>['remaining']): readonly string[] {
  const reasons = [
    [disabled, 'skipped because the webhook is disabled: add it again'],
    [removed, 'skipped because the webhook was removed: redeliver the event'],
  ] as const;
  return reasons.flatMap(([count, why]) => (count === 0 ? [] : [`${count} ${count === 1 ? 'is' : 'are'} ${why}`]));
}

/** An event without a delivery is part of the deliveries, so the log of all types does not read events. */
const all = logOf(['requests', 'messages', 'deliveries'], ['at', 'type', 'about', 'status', 'text', 'id']);

const single: Readonly<Record<Type, Command>> = {
  messages: logOf(['messages'], ['sent_at', 'to', 'status', 'text', 'id', 'template']),
  requests: logOf(['requests'], ['at', 'method', 'path', 'status', 'detail']),
  events: logOf(['events'], ['at', 'type', 'id', 'data']),
  deliveries: logOf(['deliveries'], ['at', 'id', 'type', 'state', 'attempts', 'last', 'forwarded']),
};

export const sandboxLog: Command = {
  ...all,
  run: (context, texts, emit) => {
    const type = types.find((name) => name === texts['type']?.at(-1));
    return (type ? single[type] : all).run(context, texts, emit);
  },
};

function logOf(read: readonly Type[], first: readonly string[]): Command {
  return listCommand({
    ...about,
    details: [
      'With one --type it has all columns of that type. Deliveries are waiting (for the next attempt), delivered, dead (all',
      'attempts failed, or the webhook is disabled or removed), dropped (by a fault) or queued (no webhook wanted the',
      'event); forwarded is the answer of the handler behind webhooks listen --forward-to. A redelivery starts the',
      'attempts over; an event without a delivery goes to the webhooks of now.',
    ].join('\n'),
    noun: 'records',
    type: {
      word: 'types',
      text: `only these, comma-separated: ${types.join(', ')}`,
      known: types,
      check: (word) => void chosen(word, types),
    },
    params,
    instead: { id: show, redeliver },
    first,
    open: (context) => source(context, read),
    entryOf: ({ at, types, row, brief, ...rest }: LogRecord) => {
      return { ...rest, at: Date.parse(at), types, row: read.length === 1 ? row : { at, ...brief } };
    },
    empty: 'Nothing yet',
  });
}

type Cursors = Readonly<Record<InputOf<'cursor'>['of'], number>>;
const logs = ['requests', 'messages', 'events'] as const;
/** The log whose cursor the records of a type have. */
const counted = { requests: 'requests', messages: 'messages', events: 'events', deliveries: 'events' } as const;

/** Milliseconds that one request waits for new records. */
const longPoll = 20_000;

/** The records of these types, in order of time. */
async function source(context: Context, read: readonly Type[]): Promise<Source<LogRecord, Cursors>> {
  const sandbox = await controlled(context);
  const cursors = async (): Promise<Cursors> => {
    const [requests, messages, events] = await Promise.all(logs.map((of) => sandbox.ask('cursor', { of })));
    return { requests: requests ?? 0, messages: messages ?? 0, events: events ?? 0 };
  };
  const records = async (partOf: (type: Type) => Part) => {
    const lists = read.map(async (type) => {
      const part = partOf(type);
      const records = await readers[type](sandbox, part);
      return records.map((record, index) => ({ ...record, id: `${type} ${part.after} ${index}` }));
    });
    const all = (await Promise.all(lists)).flat();
    // Records of one type are in order, even if the clock was set back.
    return read.length === 1 ? all : all.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  };
  return {
    end: cursors,
    async *before(cursor, wanted) {
      const limit = wanted === Infinity ? undefined : Math.max(1, wanted);
      yield* (await records((type) => ({ before: cursor[counted[type]], limit }))).reverse();
    },
    async after(cursor) {
      const enough = new AbortController();
      const signal = AbortSignal.any([context.host.signal, enough.signal]);
      const followed = new Set(read.map((type) => counted[type]));
      await Promise.race(
        [...followed].map((of) => sandbox.ask('cursor', { of, after: cursor[of], wait: longPoll }, signal)),
      );
      enough.abort();
      const next = await cursors();
      const fresh = await records((type) => ({ after: cursor[counted[type]], before: next[counted[type]] }));
      return { records: fresh, cursor: next };
    },
    now: async () => Date.parse((await sandbox.ask('clock')).now),
  };
}
