import { usage } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Database } from '../base/transaction.ts';
import { outcomeOf, reasonOf } from '../batches/outcomes.ts';
import { messageText } from '../batches/template.ts';
import { type Context, streaming } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { shortTime } from '../cli/output/figures.ts';
import { argument, type Input, knowing } from '../cli/params.ts';
import { countryParam, typedPhone } from '../cli/phones.ts';
import { deleteEvents, type Received } from '../logs/events.ts';
import { realAccount } from '../session/caller.ts';
import { configFolder } from '../session/folders.ts';
import { local } from '../session/profiles/fields.ts';
import { readStore, requireProfile } from '../session/profiles/store.ts';
import { closeAll, type OpenRecord, openRecords } from '../session/record.ts';
import { allSendings, erase, latestSendings, type Sending } from '../store/history.ts';
import { optOutsOf } from '../store/opt-outs.ts';
import { eventOf, replyIn, type WebhookEvent } from '../webhooks/event/event.ts';
import { newestFirst } from '../webhooks/history.ts';
import { type SenderFacts, senders } from './batches/stored.ts';
import { listParams, sinceParam, usual } from './list.ts';
import { recordedOutcomes, trustedEvents } from './message-outcomes.ts';
import { withRecordedEvents } from './webhooks/recorded.ts';

const params = {
  word: knowing(['delete'], argument('[delete]', 'erase a person from this machine, after asking')),
  phone: argument('[person]', 'a phone: everything to and from this person'),
  since: sinceParam,
  limit: listParams.limit,
  country: countryParam,
} as const;

const simulatedHint = 'bizmsg sandbox log lists those of the sandbox';

export const history = streaming({
  name: 'history',
  summary: 'List what was sent from here, or everything to and from one person',
  details: `Messages of real accounts, the newest last: single ones and those of batches. With a phone also what was
    not sent, replies and opt-outs, the newest first; webhooks listen records replies and receipts. history delete
    erases a person with all messages and events on this machine. An opt-out stays, because it is about the future.`,
  params,
  examples: ['history', 'history --since 1d --limit 20', 'history +12025550101', 'history delete +12025550101 --yes'],
  accepts: ['profile', ...printOptions],
  piped: 'rows',
  lists: true,
  async *run(context, input): AsyncGenerator<readonly object[], undefined> {
    const { word, phone, country } = input;
    if (context.given.profile === local) throw usage('the history has messages of real accounts', simulatedHint);
    const text = personIn(word, phone);
    const person = text === undefined ? undefined : await typedPhone(context, text, undefined, country);
    const records = await openRecords(context);
    try {
      if (person === undefined) yield* listed(context, records, input);
      else if (word === 'delete') yield [await erasePerson(context, records, person)];
      else yield await ofPerson(context, records, person, input);
    } finally {
      await closeAll(records);
    }
    return undefined;
  },
  line: () => '',
  view: () => '',
});

type Selection = Pick<Input<typeof params>, 'since' | 'limit'>;

/** The phone on the command line, which may follow the word `delete`. */
function personIn(word: string | undefined, phone: string | undefined): string | undefined {
  if (word !== 'delete' && phone !== undefined)
    throw usage(`"${phone}" is one argument too many`, `quote the phone: ${shellQuote(`${word} ${phone}`)}`);
  if (word === 'delete' && phone === undefined)
    throw usage('<person> is missing', 'write bizmsg history delete <phone>');
  return phone ?? word;
}

async function ofPerson(
  context: Context,
  records: readonly OpenRecord[],
  phone: string,
  { since, limit }: Selection,
): Promise<readonly HistoryRow[]> {
  const { host, note, reporter, listForm, showsLines } = context;
  const now = host.now();
  const all = await personRows(context, records, phone, since?.(now) ?? 0);
  if (all.length === 0) note('empty', `no messages to or from ${phone} with real accounts; ${simulatedHint}`);
  if (host.stdout.isTTY && showsLines && all.length > 0) reporter.say(headOf(phone, all, now));
  listForm.first = ['at', 'direction', 'template', 'text', 'outcome', 'outcome_at', 'batch'];
  return all.slice(0, limit ?? most(context, all.length));
}

async function* listed(
  context: Context,
  records: readonly OpenRecord[],
  { since, limit }: Selection,
): AsyncGenerator<readonly HistoryRow[]> {
  const { host, note, listForm } = context;
  listForm.first = ['at', 'phone', 'template', 'text', 'outcome', 'batch'];
  const now = host.now();
  const wanted = { account: wantedAccount(context), since: since?.(now) ?? 0, now };
  const senderOf = senders(context);
  const isAll = limit === undefined && !host.stdout.isTTY;
  let count = 0;
  // The team has what this machine sent before it joined.
  for (const { database } of records.filter(({ isLocal }) => !isLocal).slice(0, 1)) {
    const pages = isAll ? allSendings(database, wanted) : [await latestSendings(database, wanted, limit ?? usual + 1)];
    for await (const page of pages) {
      count += page.length;
      const shown = isAll ? page : page.slice(-(limit ?? most(context, page.length)));
      yield shown.map((sending) => sendingRow(sending, senderOf(sending.scope)));
    }
  }
  const when = since ? 'since then' : 'yet';
  if (count === 0) note('empty', `nothing was sent with real accounts ${when}; ${simulatedHint}`);
  else if (records.some(({ isLocal }) => isLocal)) note('local', simulatedHint);
}

/** A terminal shows only the newest. */
function most({ host, note }: Context, count: number): number {
  if (!host.stdout.isTTY || count <= usual) return count;
  note('cut', `showing the ${usual} newest; --limit shows more`);
  return usual;
}

/** A message to a person, or from one, as a history lists it. */
interface HistoryRow {
  readonly at: string;
  readonly direction: 'in' | 'out';
  readonly phone: string;
  readonly template: string | null;
  /** Null once it is erased. */
  readonly text: string | null;
  readonly outcome: string | null;
  /** When it was read, for example. */
  readonly outcome_at: string | null;
  readonly batch: string | null;
  readonly reason: string | null;
  readonly profile: string | null;
  readonly mode: string | null;
  readonly id: string | null;
}

function sendingRow(sending: Sending, { profile, templates }: SenderFacts): HistoryRow {
  const { at, who, scope, body, batch, by, state, messageId } = sending;
  const isElsewhere = state === 'sent' && by !== undefined;
  const before = `got it before, by ${by === '' ? 'a single message' : `batch ${by}`}`;
  const seen = templates.find(({ name }) => name === scope.template);
  return {
    ...emptyRow(at, 'out', who),
    template: scope.template,
    text: body === undefined ? null : messageText(body, seen),
    outcome: isElsewhere ? 'not-sent' : outcomeOf[state],
    batch: batch ?? null,
    reason: isElsewhere ? before : (reasonOf(sending) ?? (scope.kind === 'test' ? 'a test' : null)),
    profile: profile ?? scope.account,
    mode: scope.mode,
    id: messageId ?? null,
  };
}

/** Everything to and from a person since a time, the newest first. */
async function personRows(
  context: Context,
  records: readonly OpenRecord[],
  phone: string,
  since: number,
): Promise<readonly HistoryRow[]> {
  const sent: HistoryRow[] = [];
  for (const { isLocal, database } of records)
    if (!isLocal) sent.push(...(await sentTo(context, database, phone, since)));
  const rows = [...(await withOutcomes(context, sent)), ...(await repliesOf(context, phone, since))];
  return rows.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** `+491701000037 · blumen · opted out Nov 28 09:51 ("STOP")` */
function headOf(phone: string, rows: readonly HistoryRow[], now: number): string {
  const profiles = new Set(rows.flatMap(({ profile }) => profile ?? []));
  const optOuts = rows.filter(({ outcome }) => outcome === 'opted out');
  const told = optOuts.map(({ at, text }) => `opted out ${shortTime(at, now)}${text === '' ? '' : ` ("${text}")`}`);
  return [phone, ...profiles, ...told].join(' · ');
}

/** Messages to a person, and their opt-outs. */
async function sentTo(context: Context, database: Database, phone: string, since: number) {
  const account = wantedAccount(context);
  const senderOf = senders(context);
  const wanted = { phone, account, since, now: context.host.now() };
  const sendings = await latestSendings(database, wanted, Number.MAX_SAFE_INTEGER);
  const optOuts = await optOutsOf(database, phone);
  const isWanted = (optOut: { readonly account: string; readonly at: number }) =>
    optOut.at >= since && (account ?? optOut.account) === optOut.account;
  return [
    ...sendings.map((sending) => sendingRow(sending, senderOf(sending.scope))),
    ...optOuts.filter(isWanted).map(({ account: of, at, word }) => {
      const { profile = of } = senderOf({ account: of, mode: 'live' });
      return { ...emptyRow(at, 'in', phone), text: word, outcome: 'opted out', profile };
    }),
  ];
}

function emptyRow(at: number, direction: HistoryRow['direction'], phone: string): HistoryRow {
  return {
    at: new Date(at).toISOString(),
    direction,
    phone,
    template: null,
    text: null,
    outcome: null,
    outcome_at: null,
    batch: null,
    reason: null,
    profile: null,
    mode: null,
    id: null,
  };
}

/** Messages with what the recorded events say about them. */
async function withOutcomes(context: Context, rows: readonly HistoryRow[]): Promise<readonly HistoryRow[]> {
  const ids = new Set(rows.map(({ id }) => id));
  const { outcomes } = await recordedOutcomes(context, false, (id) => ids.has(id));
  return rows.map((row) => {
    const recorded = outcomes.get(row.id ?? '');
    if (!recorded) return row;
    const { delivery, at, reason = row.reason } = recorded;
    return { ...row, outcome: delivery, outcome_at: at === undefined ? null : new Date(at).toISOString(), reason };
  });
}

/** Replies of a person that listeners recorded. */
async function repliesOf(context: Context, phone: string, since: number): Promise<readonly HistoryRow[]> {
  const rows: HistoryRow[] = [];
  const isReply = (event: WebhookEvent, { received_at: at }: Received) =>
    at >= since && digitsIn(replyIn(event)?.sender) === digitsIn(phone);
  for await (const { event, received } of trustedEvents(context, isReply))
    rows.push({ ...emptyRow(received.received_at, 'in', phone), text: replyIn(event)?.text ?? null });
  return rows;
}

function digitsIn(text = ''): string {
  return text.replace(/\D/g, '');
}

/** Erases a person with everything on record, except waiting rows and opt-outs. */
async function erasePerson(context: Context, records: readonly OpenRecord[], phone: string): Promise<object> {
  await context.confirm(`Erase all that is recorded about ${phone}? Then a batch could send to them again.`);
  const waiting: string[] = [];
  let messages = 0;
  for (const { database } of records) {
    const erased = await erase(database, phone);
    messages += erased.rows;
    waiting.push(...erased.waiting.map(({ name }) => name));
  }
  for (const name of waiting) {
    const cancel = `bizmsg batches cancel ${shellQuote(name)} --person ${phone}`;
    context.note('still-waiting', `batch ${name} still has them: ${cancel}`);
  }
  return { phone, messages, events: await eraseEvents(context, phone), waiting_in: waiting.join(', ') || null };
}

/** Deletes the recorded events that have a phone; returns how many. */
function eraseEvents(context: Context, phone: string): Promise<number> {
  return withRecordedEvents(context, async (logs) => {
    if (!logs) return 0;
    const numbers: number[] = [];
    for await (const { event } of newestFirst(logs))
      if (event.body.includes(digitsIn(phone)) || digitsIn(eventOf(event).phone) === digitsIn(phone))
        numbers.push(event.number);
    await logs.write(deleteEvents(numbers));
    return numbers.length;
  });
}

/** The account of --profile. */
function wantedAccount({ host, given }: Context): string | undefined {
  if (given.profile === undefined) return undefined;
  return realAccount(host.env, requireProfile(readStore(configFolder(host)), given.profile));
}
