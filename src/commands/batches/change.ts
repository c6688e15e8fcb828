import { unsafe, usage } from '../../base/errors.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { countsIn } from '../../batches/outcomes.ts';
import { command, type Context } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { rowsText, whole } from '../../cli/output/figures.ts';
import { flag, knowing, option, required } from '../../cli/params.ts';
import { countryParam, typedPhone } from '../../cli/phones.ts';
import { currentCaller } from '../../session/caller.ts';
import type { Owner } from '../../store/batch.ts';
import { cancel, remove } from '../../store/cancel.ts';
import { mark, type Marking } from '../../store/mark.ts';
import { ending } from '../../store/tally.ts';
import {
  batchToChange,
  freeDead,
  matching,
  nameParam,
  type StoredBatch,
  type StoredBatches,
  unchanged,
  withBatches,
} from './stored.ts';

export const markRows = command({
  name: 'mark',
  summary: 'Record whether unsure rows were sent',
  details: `An unsure row may have been sent: its answer is missing. If you know it, for example from the person or
    the service's own list, record it. Rows that were --not-sent wait again: batches resume sends them. With a phone
    instead of a batch, all unsure messages to that person are meant, single ones too.`,
  params: {
    who: knowing('batches', required('<batch|phone>', 'the name of a batch, the beginning of its id, or a phone')),
    sent: flag('--sent', 'they were sent'),
    notSent: flag('--not-sent', 'they were not sent'),
    rows: option('--rows <numbers>', 'only these rows, such as 1,5-7: the number in bizmsg_row', numbers),
    country: countryParam,
  },
  examples: ['batches mark autumn --not-sent --profile local', 'batches mark +12025550101 --sent --profile local'],
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  changes: true,
  run: async (context, { who, sent, notSent, rows, country }) => {
    if (sent === notSent) throw usage('give --sent or --not-sent', 'bizmsg batches report lists what is unsure');
    const how = { as: sent ? 'sent' : 'not sent', rows, now: context.host.now() } as const;
    return withBatches(context, async (stored) => {
      const isBatch = matching(stored.batches, who).length > 0 || !/^[+\d(\s]/.test(who);
      if (isBatch) return markBatch(context, stored, who, how);
      return markPerson(context, stored, await typedPhone(context, who, undefined, country), how);
    });
  },
  view: ({ batch, phone, marked, as }) => {
    const whose = batch === null ? `to ${phone}` : `of ${batch}`;
    if (marked === 0) return `No row ${whose} is unsure`;
    const next = as === 'not sent' && batch !== null ? `; bizmsg batches resume ${shellQuote(batch)} sends them` : '';
    return `Marked as ${as}: ${rowsText(marked)} ${whose}${next}`;
  },
});

/** Parses a list such as 1,5-7 into a test for a number. */
function numbers(text: string): (n: number) => boolean {
  const ranges = text.split(',').map((part) => {
    const [, from, to = from] = /^\s*(?:[\da-f]{12}-)?(\d+)(?:\s*-\s*(\d+))?\s*$/.exec(part) ?? [];
    if (from === undefined || to === undefined || Number(from) > Number(to))
      throw usage(`"${part}" is not a number or a range`, 'such as 1,5-7');
    return [Number(from), Number(to)] as const;
  });
  return (n) => ranges.some(([from, to]) => n >= from && n <= to);
}

type How = Pick<Marking, 'as' | 'rows' | 'now'>;

async function markBatch(context: Context, stored: StoredBatches, name: string, how: How) {
  const { batch, record } = await batchToChange(context, stored, name);
  const marked = await mark(record.database, { ...how, owner: batch.scope, meant: { batch: batch.id } });
  if (marked.kind !== 'marked') throw unchanged(batch, 'working');
  return { batch: batch.name, phone: null, marked: marked.count, as: how.as };
}

/** Marks what is unsure to a person, in the account and mode in use. */
async function markPerson(context: Context, stored: StoredBatches, phone: string, how: How) {
  // Fails if no profile is in use.
  const isLocal = stored.owner?.isLocal ?? currentCaller(context).kind === 'local';
  const current = stored.batches.filter(({ isCurrent }) => isCurrent);
  for (const batch of current) await freeDead(batch, context.host);
  let count = 0;
  for (const { database } of stored.records.filter((record) => record.isLocal === isLocal))
    for (const owner of ownersOf(stored)) {
      const marked = await mark(database, { ...how, owner, meant: { phone } });
      if (marked.kind === 'several')
        throw usage(
          `${phone} has ${marked.rows.length} unsure rows in ${marked.name}`,
          `name some of them: --rows ${marked.rows.join(',')}`,
        );
      if (marked.kind === 'working') {
        const working = current.find(({ batch }) => batch.name === marked.name);
        if (working) throw unchanged(working.batch, 'working');
        throw unsafe('batch-working', `a message to ${phone} is on its way`, 'wait for its answer');
      }
      count += marked.count;
    }
  return { batch: null, phone, marked: count, as: how.as };
}

function ownersOf({ owner, batches }: StoredBatches): readonly Owner[] {
  if (owner?.account !== undefined) return [{ account: owner.account, mode: owner.mode }];
  const accounts = new Map<string, Owner>();
  for (const { batch, isCurrent } of batches) if (isCurrent) accounts.set(batch.scope.account, batch.scope);
  return [...accounts.values()];
}

export const cancelBatch = command({
  name: 'cancel',
  summary: 'Stop a batch, and drop its rows that wait',
  details: `Sent rows stay on record. A process that sends the batch stops at its next row. A cancelled batch is not
    continued, unless only some of its rows were dropped.`,
  params: {
    name: nameParam,
    missing: flag('--missing', 'only rows that are not in its latest file'),
    person: option('--person <phone>', 'only this person'),
    country: countryParam,
  },
  examples: ['batches cancel autumn', 'batches cancel autumn --missing', 'batches cancel autumn --person +12025550101'],
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  changes: true,
  run: async (context, { name, missing, person, country }) => {
    if (missing && person !== undefined)
      throw usage('give either --missing or --person', 'bizmsg batches cancel NAME drops all that waits');
    const phone = person === undefined ? undefined : await typedPhone(context, person, '--person', country);
    const what = phone === undefined ? (missing ? 'missing' : 'all') : { phone };
    return withBatches(context, async (stored) => {
      const { record, batch } = await batchToChange(context, stored, name);
      const cancelled = await cancel(record.database, batch, what, context.host.now());
      if (cancelled.kind !== 'done') throw unchanged(batch, cancelled.kind, 'loads');
      return { batch: batch.name, id: batch.id, cancelled: cancelled.count, is_whole: what === 'all' };
    });
  },
  view: ({ batch, cancelled, is_whole: isWhole }, { color }) =>
    `${isWhole ? `${color.green('Cancelled')} ${batch}` : `${color.green('Dropped')} from ${batch}`}: ` +
    `${rowsText(cancelled)} ${cancelled === 1 ? 'is' : 'are'} not sent`,
});

export const deleteBatch = command({
  name: 'delete',
  summary: 'Delete a batch with all its rows',
  details: `Nothing changes at the service. bizmsg then does not know any more whom the batch reached, so another
    batch with the same template could send to them again. Asks for confirmation; a script needs --yes.`,
  params: { name: nameParam },
  examples: ['batches delete autumn --yes'],
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  changes: true,
  run: (context, { name }) =>
    withBatches(context, async (batches) => {
      const stored = await batchToChange(context, batches, name);
      const { record, batch } = stored;
      const rows = await confirmDelete(context, stored);
      const { kind } = await remove(record.database, batch.id, context.host.now());
      if (kind !== 'done') throw unchanged(batch, kind);
      return { batch: batch.name, id: batch.id, rows };
    }),
  view: ({ batch, rows }, ui) => `${ui.color.green('Deleted')} ${batch}: ${rowsText(rows)}`,
});

/** Says who could get the same again. */
async function confirmDelete(context: Context, { batch, profile, record }: StoredBatch): Promise<number> {
  const { name, id, scope } = batch;
  const { totals, tallies } = await ending(record.database, { id, load: 0 });
  const { rows, sent, unsure } = countsIn(totals);
  const others = tallies.filter(({ state, by }) => state === 'sent' && by !== undefined);
  const reached = sent - others.reduce((sum, { count }) => sum + count, 0);
  const whom = [reached > 0 && `the ${whole(reached)} it reached`, unsure > 0 && `${whole(unsure)} unsure`];
  const again = scope.kind === 'import' ? 'be imported' : `get ${scope.template}`;
  const warning = reached + unsure > 0 ? ` Then ${whom.filter(Boolean).join(' and ')} could ${again} again.` : '';
  await context.confirm(
    `Delete batch ${name} (${scope.mode} ${profile ?? scope.account}) with ${rowsText(rows)}?${warning}`,
  );
  return rows;
}
