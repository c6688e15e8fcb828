import { jsonText } from '../base/json.ts';
import { type Accepted, type Fate, fateAt, type UnsentRow } from '../ledger/ledger.ts';
import type { InputFile } from './input.ts';
import type { InputRow, Mapper } from './input/row.ts';
import { placeOf, verifyUnchanged } from './input/source.ts';
import { storedReason } from './report.ts';
import type { Place, Ready } from './row.ts';
import type { Preflight } from './preflight.ts';

interface Known {
  readonly input: Pick<InputFile, 'source' | 'shown'>;
  readonly found: Preflight;
  readonly accepted: Pick<Accepted, 'fates' | 'items'>;
}

interface Due extends Known {
  readonly mapper: Mapper;
  /** Called with rows that are not sent, before the due rows of the same part of the input. */
  readonly onUnsent: (rows: readonly UnsentRow[]) => Promise<void>;
  /** Called with each row that cannot be sent. */
  readonly onInvalid: (place: Place, reason: string) => Promise<void> | undefined;
}

/** The rows to be sent, in order; then failed ones of earlier attempts. */
export async function* dueRows({ mapper, onUnsent, onInvalid, ...known }: Due): AsyncGenerator<readonly Ready[]> {
  let hasRetries = false;
  for await (const batch of readAgain(known)) {
    const unsent: UnsentRow[] = [];
    const due: KnownRow[] = [];
    for (const one of batch) {
      const { row, fate } = one;
      if (fate === 'due') due.push(one);
      else if (fate === 'retry') hasRetries = true;
      else if (fate === 'invalid') {
        const [place, reason] = [placeIn(row, known), invalidity(row, mapper, known)];
        unsent.push(invalidRow(place, reason));
        await onInvalid(place, reason);
      } else if (isSkipped(one, known)) unsent.push({ line: placeIn(row, known).line, code: fate });
    }
    if (unsent.length > 0) await onUnsent(unsent);
    if (due.length > 0) yield due.map((one) => readyOf(one, mapper, known));
  }
  if (!hasRetries) return;
  for await (const batch of readAgain(known)) {
    const due = batch.filter(({ fate }) => fate === 'retry');
    if (due.length > 0) yield due.map((one) => readyOf(one, mapper, known));
  }
}

/** As the ledger records it. */
export function invalidRow({ line }: Place, reason: string): UnsentRow {
  return { line, code: 'invalid', reason: storedReason(reason) };
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

/** The run does not have it, and will not: another run has sent it or left it unsure, for example. */
function isSkipped({ fate, index }: KnownRow, { accepted }: Known): boolean {
  if (fate === 'unsure') return accepted.items[index] === 0;
  return fate === 'excluded' || fate === 'duplicate' || fate === 'earlier' || fate === 'changed';
}

function readyOf({ row, index, fate }: KnownRow, mapper: Mapper, known: Known): Ready {
  const mapped = 'reason' in row ? row : mapper.map(row);
  if ('reason' in mapped) throw new Error(`row ${row.number} was valid at first: ${mapped.reason}`);
  const { number, line } = placeIn(row, known);
  const content = jsonText(mapped.body);
  const item = known.accepted.items[index] ?? 0;
  return { number, line, isRetry: fate === 'retry', content, item };
}

export function placeIn(row: InputRow, { input }: Pick<Known, 'input'>): Place {
  return { number: row.number, line: placeOf(row, input.source) };
}

/** Why a row is invalid: by itself, or because of an earlier one. */
export function invalidity(row: InputRow, mapper: Mapper, { found }: Pick<Known, 'found'>): string {
  const mapped = 'reason' in row ? row : mapper.map(row);
  return 'reason' in mapped ? mapped.reason : found.conflictOf(mapped.body);
}
