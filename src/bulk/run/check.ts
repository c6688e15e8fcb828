import type { CliError } from '../../errors.ts';
import { unsafe } from '../../errors.ts';
import { lanesOf } from '../lanes.ts';
import type { Prepared, Row } from '../row.ts';
import { inputName } from './input-name.ts';
import type { Ledger } from './ledger.ts';
import { states } from './records.ts';
import { jsonText } from '../../json.ts';

interface Changed {
  readonly number: number;
  /** Undefined where the row is gone. */
  readonly line?: number;
}

export type Batches = AsyncIterable<readonly Prepared[]>;

/**
 * Throws where a row that was sent already is not what it was then. Gives the numbers of rows that were refused, and
 * that other rows or none have by now.
 */
export async function refuseChanged(rows: Batches, ledger: Ledger, path: string): Promise<readonly number[]> {
  const { changed, outdated } = await compared(rows, ledger);
  if (changed) throw refusal(changed, path);
  return outdated;
}

/** 53 bits, so that of two inputs of a million rows hardly ever two that differ share one. */
export function digestOf(content: string): number {
  const [high, low] = lanesOf(content);
  return (high >>> 11) * 2 ** 32 + low;
}

/** Of one that is not sent, and so has no content. */
export function digestOfRow(row: Row): number {
  return digestOf(jsonText('fields' in row ? row.fields : [row.raw]));
}

async function compared(rows: Batches, ledger: Ledger) {
  const highest = ledger.highest();
  const outdated: number[] = [];
  let last = 0;
  for await (const batch of rows) {
    for (const row of batch) {
      if (row.number > highest) return { outdated };
      if (wasSent(ledger, row.number) && isChanged(row, ledger)) return { changed: placeOf(row), outdated };
      if (wasRefused(ledger, row.number) && digestOfRow(row) !== ledger.digestOf(row.number)) outdated.push(row.number);
      last = row.number;
    }
  }
  for (let number = last + 1; number <= highest; number++) {
    if (wasSent(ledger, number)) return { changed: { number }, outdated };
    if (wasRefused(ledger, number)) outdated.push(number);
  }
  return { outdated };
}

function placeOf({ number, line }: Prepared): Changed {
  return { number, line };
}

function wasRefused(ledger: Ledger, number: number): boolean {
  return ledger.stateOf(number) === states.refused;
}

function wasSent(ledger: Ledger, number: number): boolean {
  return ledger.stateOf(number) !== states.unsent && !wasRefused(ledger, number);
}

function isChanged(row: Prepared, ledger: Ledger): boolean {
  return 'reason' in row || digestOf(row.content) !== ledger.digestOf(row.number);
}

function refusal({ number, line }: Changed, path: string): CliError {
  const input = inputName(path);
  const what =
    line === undefined
      ? `row ${number} of ${input} was sent, and is not there any more`
      : `line ${line} of ${input} (row ${number}) has changed since it was sent`;
  const back =
    path === '-'
      ? 'pipe nothing in and --resume, which goes on with what it was'
      : 'put back what was sent and --resume';
  return unsafe('run-changed', what, `${back}, or --restart to begin anew, which sends all rows again`);
}
