import { jsonText } from '../base/json.ts';
import { type Accepted, type Fate, fateAt } from '../ledger/ledger.ts';
import type { InputFile } from './input.ts';
import type { InputRow, Mapper } from './input/row.ts';
import { placeOf, verifyUnchanged } from './input/source.ts';
import type { RunLog } from './log.ts';
import type { Place, Ready } from './row.ts';
import type { Preflight } from './preflight.ts';

interface Known {
  readonly input: Pick<InputFile, 'source' | 'shown'>;
  readonly found: Preflight;
  readonly accepted: Pick<Accepted, 'fates' | 'items'>;
}

interface Due extends Known {
  readonly mapper: Mapper;
  readonly log: Pick<RunLog, 'skipped'>;
  /** Called with each row that cannot be sent. */
  readonly onInvalid: (place: Place, reason: string) => Promise<void> | undefined;
}

/** The rows to be sent, in order; then failed ones of earlier attempts. The others go to the log. */
export async function* dueRows({ mapper, log, onInvalid, ...known }: Due): AsyncGenerator<readonly Ready[]> {
  let hasRetries = false;
  for await (const batch of readAgain(known)) {
    const skipped = new Map<string, Place[]>();
    const due: KnownRow[] = [];
    for (const { row, index, fate } of batch) {
      if (fate === 'due') due.push({ row, index, fate });
      else if (fate === 'retry') hasRetries = true;
      else if (fate === 'invalid') await onInvalid(placeIn(row, known), invalidity(row, mapper, known));
      else if (isSkipped(fate)) add(skipped, fate, placeIn(row, known));
    }
    for (const [why, rows] of skipped) log.skipped(rows, why);
    if (due.length > 0) yield due.map((one) => readyOf(one, mapper, known));
  }
  if (!hasRetries) return;
  for await (const batch of readAgain(known)) {
    const due = batch.filter(({ fate }) => fate === 'retry');
    if (due.length > 0) yield due.map((one) => readyOf(one, mapper, known));
  }
}

/** The bodies of the first rows that will be sent. Rows that were sent before may precede them. */
export async function firstBodies(known: Known, mapper: Mapper, most: number): Promise<readonly string[]> {
  if (most === 1 && fateAt(known.accepted.fates, 0) === 'due' && known.found.first !== undefined)
    return [known.found.first];
  const [due, retries]: [KnownRow[], KnownRow[]] = [[], []];
  for await (const batch of readAgain(known)) {
    for (const row of batch) {
      if (row.fate === 'due') due.push(row);
      else if (row.fate === 'retry' && retries.length < most) retries.push(row);
    }
    if (due.length >= most) break;
  }
  return [...due, ...retries].slice(0, most).map((row) => readyOf(row, mapper, known).content);
}

export interface KnownRow {
  readonly row: InputRow;
  /** Among the valid rows. */
  readonly index: number;
  readonly fate: Fate | 'invalid' | 'excluded';
}

/** Reads the input once more; throws if it has changed since the preflight. */
export async function* readAgain({ input, found, accepted }: Known): AsyncGenerator<readonly KnownRow[]> {
  let index = 0;
  const known = (row: InputRow): KnownRow => {
    const kind = found.kindOf(row.number);
    return kind === 'valid' ? { row, fate: fateAt(accepted.fates, index), index: index++ } : { row, fate: kind, index };
  };
  const rows = input.source.rows(undefined, verifyUnchanged(found.prints, input.shown));
  for await (const batch of rows) yield batch.map(known);
}

/** Rows that this run has sent, or that are for later, were written to its log before, or will be. */
function isSkipped(fate: KnownRow['fate']): boolean {
  return fate === 'excluded' || fate === 'duplicate' || fate === 'earlier' || fate === 'changed';
}

function readyOf({ row, index, fate }: KnownRow, mapper: Mapper, known: Known): Ready {
  const mapped = 'reason' in row ? row : mapper.map(row);
  if ('reason' in mapped) throw new Error(`row ${row.number} was valid at first: ${mapped.reason}`);
  const { number, line } = placeIn(row, known);
  const content = jsonText(mapped.body);
  const item = known.accepted.items[index] ?? 0;
  return { number, line, isRetry: fate === 'retry', content, item, digest: known.found.digests.read(index) };
}

function placeIn(row: InputRow, { input }: Known): Place {
  return { number: row.number, line: placeOf(row, input.source) };
}

function add<T>(groups: Map<string, T[]>, name: string, item: T): void {
  const group = groups.get(name);
  if (group) group.push(item);
  else groups.set(name, [item]);
}

/** Why a row is invalid: by itself, or because of an earlier one. */
export function invalidity(row: InputRow, mapper: Mapper, { found }: Pick<Known, 'found'>): string {
  const mapped = 'reason' in row ? row : mapper.map(row);
  return 'reason' in mapped ? mapped.reason : found.conflictOf(mapped.body);
}
