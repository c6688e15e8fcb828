import { usage } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Database } from '../base/transaction.ts';
import { type HistoryRow, sendingRow } from '../batches/sending.ts';
import { type Context, streaming } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { argument, knowing } from '../cli/params.ts';
import { local } from '../session/profiles/fields.ts';
import { closeAll, openRecords } from '../session/record.ts';
import { allSendings, latestSendings, type Wanted } from '../store/history.ts';
import { listParams, sinceParam, usual } from './list.ts';
import { erasePerson, type HistoryInput, personRows, senderFacts, simulatedHint, wantedAccount } from './person.ts';
import { countryParam, typedPhone } from '../cli/phones.ts';

const params = {
  word: knowing(['delete'], argument('[delete]', 'erase a person from this machine, after asking')),
  phone: argument('[person]', 'a phone: everything to and from this person'),
  since: sinceParam,
  limit: listParams.limit,
  country: countryParam,
} as const;

export const history = streaming({
  name: 'history',
  summary: 'List what was sent from here, or everything to and from one person',
  details: [
    'Messages of real accounts, the newest last: single ones and those of batches. With a phone also what was not sent,',
    'replies and opt-outs, the newest first; webhooks listen records replies and receipts. history delete erases a',
    'person with all messages and events on this machine. An opt-out stays, because it is about the future.',
  ].join('\n'),
  params,
  examples: ['history', 'history --since 1d --limit 20', 'history +12025550101', 'history delete +12025550101 --yes'],
  sample: 'at\tdirection\tphone\ttemplate\ttext\toutcome\t…\n2026-…\tout\t+12025550146\twelcome\t…\n…',
  accepts: ['profile', ...printOptions],
  piped: 'rows',
  lists: true,
  async *run(context, { word, phone, country, ...input }): AsyncGenerator<readonly object[], undefined> {
    if (context.given.profile === local) throw usage('the history has messages of real accounts', simulatedHint);
    const text = personIn(word, phone);
    if (text === undefined) return yield* listed(context, input);
    const person = await typedPhone(context, text, undefined, country);
    yield word === 'delete' ? [await erasePerson(context, person)] : await personRows(context, person, input);
    return undefined;
  },
  line: () => '',
  view: () => '',
});

/** The phone on the command line, which may follow the word `delete`. */
function personIn(word: string | undefined, phone: string | undefined): string | undefined {
  if (word !== 'delete' && phone !== undefined)
    throw usage(`"${phone}" is one argument too many`, `quote the phone: ${shellQuote(`${word} ${phone}`)}`);
  if (word === 'delete' && phone === undefined)
    throw usage('<person> is missing', 'write bizmsg history delete <phone>');
  return phone ?? word;
}

async function* listed(
  context: Context,
  { since, limit }: HistoryInput,
): AsyncGenerator<readonly HistoryRow[], undefined> {
  const { host, note, listForm } = context;
  listForm.first = ['at', 'phone', 'template', 'text', 'outcome', 'batch'];
  const records = await openRecords(context);
  try {
    const record = records.find(({ isLocal }) => !isLocal);
    const now = host.now();
    const wanted = { account: wantedAccount(context), since: since?.(now) ?? 0, now };
    const factsOf = senderFacts(context);
    let count = 0;
    for await (const page of record ? pagesOf(context, record.database, wanted, limit) : []) {
      count += page.length;
      yield page.map((sending) => sendingRow(sending, factsOf(sending.scope)));
    }
    if (count === 0) note('empty', since ? 'nothing was sent since then' : 'nothing was sent from here yet');
    if (records.some(({ isLocal }) => isLocal)) note('local', simulatedHint);
  } finally {
    await closeAll(records);
  }
  return undefined;
}

function pagesOf(context: Context, database: Database, wanted: Wanted, limit: number | undefined) {
  const isAll = limit === undefined && !context.host.stdout.isTTY;
  return isAll ? allSendings(database, wanted) : latestPage(context, database, wanted, limit);
}

async function* latestPage({ note }: Context, database: Database, wanted: Wanted, limit: number | undefined) {
  const latest = await latestSendings(database, wanted, limit ?? usual + 1);
  const isCut = limit === undefined && latest.length > usual;
  if (isCut) note('cut', `showing the ${usual} newest; --limit shows more`);
  yield isCut ? latest.slice(-usual) : latest;
}
