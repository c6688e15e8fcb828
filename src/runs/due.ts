import type { Row } from '../bulk/row.ts';
import { refuseOther } from '../bulk/rows/prints.ts';
import { jsonText } from '../json.ts';
import type { Fate } from '../ledger/ledger.ts';
import { fates } from '../ledger/ledger.ts';
import type { RowsInput } from './input.ts';
import type { Mapper } from './job.ts';
import type { RunLog } from './log.ts';
import type { Ready } from './row.ts';
import type { Survey } from './survey.ts';

export interface Known {
  readonly input: Pick<RowsInput, 'source' | 'shown'>;
  readonly found: Survey;
  /** An index into `fates` for each valid row. */
  readonly fates: Uint8Array;
}

export interface Due extends Known {
  readonly mapper: Mapper;
  readonly log: Pick<RunLog, 'skipped' | 'invalid'>;
}

/** The rows to be sent, in order; failed ones of earlier attempts after all others. The others go to the log. */
export async function* dueRows({ mapper, log, ...known }: Due): AsyncGenerator<readonly Ready[]> {
  let hasRetries = false;
  for await (const batch of readAgain(known)) {
    const skipped = new Map<string, Row[]>();
    const due: Ready[] = [];
    for (const { row, index, fate } of batch) {
      if (fate === 'due') due.push(readyOf(row, index, mapper, known.found));
      else if (fate === 'retry') hasRetries = true;
      else if (fate === undefined) log.invalid(row, invalidity(row, mapper, known));
      else if (isSkipped(fate)) skipped.set(fate, [...(skipped.get(fate) ?? []), row]);
    }
    for (const [why, rows] of skipped) log.skipped(rows, why);
    if (due.length > 0) yield due;
  }
  if (!hasRetries) return;
  for await (const batch of readAgain(known)) {
    const due = batch.filter(({ fate }) => fate === 'retry');
    if (due.length > 0) yield due.map(({ row, index }) => readyOf(row, index, mapper, known.found));
  }
}

export interface KnownRow {
  readonly row: Row;
  /** Among the valid rows. */
  readonly index: number;
  /** Undefined for an invalid row. */
  readonly fate: Fate | undefined;
}

/** Reads the input once more; throws if it has changed since the survey. */
export async function* readAgain({ input, found, fates: codes }: Known): AsyncGenerator<readonly KnownRow[]> {
  let index = 0;
  const known = (row: Row): KnownRow => {
    const isValid = found.valid[row.number - 1] === 1;
    const fate = isValid ? (fates[codes[index] ?? 0] ?? 'due') : undefined;
    return { row, index: isValid ? index++ : index, fate };
  };
  const rows = input.source.rows(undefined, refuseOther(found.prints, input.shown));
  for await (const batch of rows) yield batch.map(known);
}

/** Rows that this run has sent, or that are for later, were written to its log before, or will be. */
function isSkipped(fate: Fate): boolean {
  return fate === 'duplicate' || fate === 'earlier' || fate === 'changed';
}

function readyOf(row: Row, index: number, mapper: Mapper, { input }: Survey): Ready {
  const { number, line } = row;
  const mapped = 'reason' in row ? row : mapper.map(row);
  if ('reason' in mapped) throw new Error(`row ${number} was valid at first: ${mapped.reason}`);
  return { number, line, content: jsonText(mapped.body), digest: input.read(index) };
}

/** Why a row is invalid: by itself, or because of an earlier one. */
export function invalidity(row: Row, mapper: Mapper, { found }: Pick<Known, 'found'>): string {
  const mapped = 'reason' in row ? row : mapper.map(row);
  return 'reason' in mapped ? mapped.reason : found.conflictOf(mapped.body);
}
