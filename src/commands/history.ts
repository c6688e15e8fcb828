import { usage } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { type Context, streaming } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { argument, type Input, knowing } from '../cli/params.ts';
import { countryParam, typedPhone } from '../cli/phones.ts';
import { local } from '../session/profiles/fields.ts';
import { closeAll, type OpenRecord, openRecords } from '../session/record.ts';
import { allSendings, latestSendings } from '../store/history.ts';
import { type HistoryRow, senders, sendingRow } from './batches/stored.ts';
import { listParams, sinceParam, usual } from './list.ts';
import { erasePerson, headOf, personRows, wantedAccount } from './person.ts';

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
