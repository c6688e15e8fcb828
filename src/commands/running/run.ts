import type { Signals } from '../../bulk/run/halt.ts';
import { unitOf } from '../../bulk/rows/place.ts';
import { survey } from '../../bulk/survey.ts';
import type { Survey } from '../../bulk/survey.ts';
import type { Row } from '../../bulk/row.ts';
import type { Context, Emit } from '../../cli/command.ts';
import { unsafe, usage } from '../../errors.ts';
import { carriedOut } from './carry-out.ts';
import type { Asked } from './carry-out.ts';
import { confirmCount } from './confirm-count.ts';
import { commandOf, endedEmpty } from './ended.ts';
import { nameOf, openInput } from './input.ts';
import type { RowsInput } from './input.ts';
import type { Job, Mapper } from './job.ts';
import { keptInput } from './kept-input.ts';
import { refuseKeys } from './refuse-keys.ts';
import { suspectNote } from './rehearsal.ts';
import type { Rehearsed } from './rehearsal.ts';
import { rehearsed } from './rehearse.ts';
import type { Ended } from './result.ts';
import type { RunInput } from './run-params.ts';
import { interrupted, untilTold } from './signals.ts';

/** Sends the rows of a file, or says what would be sent. */
export async function runJob(
  context: Context,
  job: Job,
  { file, ...flags }: RunInput & { readonly file: string },
  emit: Emit,
): Promise<Rehearsed | Ended> {
  refuseKeys(context.typed, file, await context.knownKeys());
  refuseChoice(context.given);
  const { process: own } = await context.sandboxes();
  const signals = untilTold(own, context);
  try {
    const client = await context.clientForRun({ ...flags, signals });
    const kept = await keptInput(context, { job, client, flags });
    const input = await openInput(context, file, { ...flags, stop: signals.stop, kept });
    return await withInput({ context, job, flags, input, client, signals }, emit).finally(input.close);
  } finally {
    signals.release();
  }
}

async function withInput(asked: Asked, emit: Emit): Promise<Rehearsed | Ended> {
  const { context, job, flags, input, client, signals } = asked;
  noteEscapes(context, input);
  const mapper = await job.mapper(input.source);
  const { dryRun } = context.given;
  const found = await surveyed(input, mapper(), dryRun, signals);
  checkCount(found, flags);
  if (dryRun) return rehearsed({ ...asked, mapper, found });
  if (found.rows === 0) {
    context.note('empty', 'there are no rows');
    return endedEmpty(commandOf(job), nameOf(input));
  }
  const damaged = suspectNote(found, unitOf(input.source));
  if (damaged !== undefined) context.note('suspect', damaged);
  await confirmCount(context, client.target, found.rows, flags);
  return carriedOut({ ...asked, mapper, found }, emit);
}

function refuseChoice({ output, query, columns, dryRun }: Context['given']): void {
  if (output !== 'ndjson' || dryRun || (query ?? columns) === undefined) return;
  const flag = query === undefined ? '--columns' : '--query';
  throw usage(`${flag} cannot be applied to rows as they come`, 'leave it out, or take the summary alone with -o json');
}

/** Only who made the file can tell for sure what its backslashes mean. */
function noteEscapes({ note }: Context, input: RowsInput): void {
  const { escapes } = input.source;
  if (escapes === 'none') return;
  const said =
    escapes === 'undone'
      ? 'backslash escapes such as \\t and \\n are undone, as bizmsg writes them in TSV; in CSV and JSON a backslash is kept'
      : 'backslashes are kept as they are, since not all of them begin an escape that bizmsg writes in TSV, or some cells are in quotes';
  note('escapes', `${nameOf(input)}: ${said}`);
}

/** How many bad rows are told one by one. */
const mostTold = 50;

async function surveyed({ source }: RowsInput, mapper: Mapper, compares: boolean, { stop }: Signals): Promise<Survey> {
  const map = (row: Row) => ('reason' in row ? row : mapper.map(row));
  const found = await survey(source, { map, most: mostTold, compares, signal: stop }).catch((error: unknown) => {
    throw stop.aborted ? interrupted(stop.reason) : error;
  });
  if (stop.aborted) throw interrupted(stop.reason);
  mapper.end?.();
  return found;
}

function checkCount({ rows }: Survey, { expectCount }: RunInput): void {
  if (expectCount === undefined || expectCount === rows) return;
  throw unsafe('count', `the input has ${rows} rows, not ${expectCount}`, 'nothing was sent; is it the right file?');
}
