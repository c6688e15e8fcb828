import { crc32 } from 'node:zlib';
import type { CliError } from '../../errors.ts';
import { unsafe } from '../../errors.ts';
import type { Prepared } from '../row.ts';
import type { Ledger } from './ledger.ts';
import { states } from './records.ts';

interface Changed {
  readonly number: number;
  /** Undefined where the row is gone. */
  readonly line?: number;
}

type Batches = AsyncIterable<readonly Prepared[]>;

/** Throws where a row that was sent already is not what it was then. */
export async function refuseChanged(rows: Batches, ledger: Ledger, path: string): Promise<void> {
  const changed = await firstChange(rows, ledger);
  if (changed) throw refusal(changed, path);
}

export function digestOf(content: string): number {
  return crc32(content);
}

async function firstChange(rows: Batches, ledger: Ledger): Promise<Changed | undefined> {
  const highest = ledger.highest();
  let last = 0;
  for await (const batch of rows) {
    for (const row of batch) {
      if (row.number > highest) return undefined;
      if (wasSent(ledger, row.number) && isChanged(row, ledger)) return { number: row.number, line: row.line };
      last = row.number;
    }
  }
  for (let number = last + 1; number <= highest; number++) if (wasSent(ledger, number)) return { number };
  return undefined;
}

function wasSent(ledger: Ledger, number: number): boolean {
  const state = ledger.stateOf(number);
  return state !== states.unsent && state !== states.refused;
}

function isChanged(row: Prepared, ledger: Ledger): boolean {
  return 'reason' in row || digestOf(row.content) !== ledger.digestOf(row.number);
}

function refusal({ number, line }: Changed, path: string): CliError {
  const what =
    line === undefined
      ? `row ${number} of "${path}" was sent, and is not there any more`
      : `line ${line} of "${path}" has changed since its row (${number}) was sent`;
  const hint = 'put back what was sent and --resume, or --restart to begin anew, which sends all rows again';
  return unsafe('run-changed', what, hint);
}
