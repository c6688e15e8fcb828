import { shellQuote } from '../base/shell-quote.ts';
import type { Database } from '../base/transaction.ts';
import type { Context } from '../cli/command.ts';
import { shortTime } from '../cli/output/figures.ts';
import { deleteEvents, type Received } from '../logs/events.ts';
import { realAccount } from '../session/caller.ts';
import { configFolder } from '../session/folders.ts';
import { readStore, requireProfile } from '../session/profiles/store.ts';
import type { OpenRecord } from '../session/record.ts';
import { erase, latestSendings } from '../store/history.ts';
import { optOutsOf } from '../store/opt-outs.ts';
import { eventOf, replyIn, type WebhookEvent } from '../webhooks/event/event.ts';
import { newestFirst } from '../webhooks/history.ts';
import { type HistoryRow, senders, sendingRow } from './batches/stored.ts';
import { recordedOutcomes, trustedEvents } from './message-outcomes.ts';
import { withRecordedEvents } from './webhooks/recorded.ts';

/** Everything to and from a person since a time, the newest first. */
export async function personRows(
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
export function headOf(phone: string, rows: readonly HistoryRow[], now: number): string {
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
      return { ...received(phone, at, word), outcome: 'opted out', profile };
    }),
  ];
}

function received(phone: string, at: number, text: string | undefined): HistoryRow {
  return {
    at: new Date(at).toISOString(),
    direction: 'in',
    phone,
    template: null,
    text: text ?? null,
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
  for await (const { event, received: delivery } of trustedEvents(context, isReply))
    rows.push(received(phone, delivery.received_at, replyIn(event)?.text));
  return rows;
}

function digitsIn(text = ''): string {
  return text.replace(/\D/g, '');
}

/** Erases a person with everything on record, except waiting rows and opt-outs. */
export async function erasePerson(context: Context, records: readonly OpenRecord[], phone: string): Promise<object> {
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
export function wantedAccount({ host, given }: Context): string | undefined {
  if (given.profile === undefined) return undefined;
  return realAccount(host.env, requireProfile(readStore(configFolder(host)), given.profile));
}
