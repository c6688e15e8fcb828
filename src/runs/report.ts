import { redact } from '../base/redact.ts';
import { isRecord } from '../contract/readers.ts';
import type { Ledger, ReportedRow } from '../ledger/ledger.ts';

/** A row of `runs show`. */
export interface ShownRow {
  readonly line: number;
  readonly outcome: 'sent' | 'failed' | 'unsure' | 'skipped' | 'in flight';
  readonly reason: string | undefined;
  /** From the response of the service. */
  readonly id: string | undefined;
}

/** The rows of a run with an outcome, in the order of the input. */
export async function rowsOfRun(ledger: Pick<Ledger, 'rows'>, run: string): Promise<readonly ShownRow[]> {
  const rows: ShownRow[] = [];
  for await (const page of ledger.rows(run)) for (const row of page) rows.push(...shown(row));
  return rows.sort((a, b) => a.line - b.line);
}

function shown(row: ReportedRow): readonly ShownRow[] {
  const outcome = outcomeOf(row);
  if (outcome === undefined) return [];
  const { line = 0, id, code, reason } = row;
  return [{ line, outcome, id, reason: reason ?? code }];
}

/** Undefined for a row that is not sent yet, or given up. */
function outcomeOf({ state, code }: ReportedRow): ShownRow['outcome'] | undefined {
  switch (state) {
    case 'done':
      return 'sent';
    case 'failed':
    case 'unsure':
      return state;
    case 'leaving':
      return 'in flight';
    case 'unsent':
      return code === 'invalid' ? 'failed' : 'skipped';
    case 'withdrawn':
      // Another run has sent it meanwhile, or its recipient opted out.
      return code === 'elsewhere' || code === 'excluded' ? 'skipped' : undefined;
    case 'absent':
    case 'planned':
    case 'released':
      break;
  }
  return undefined;
}

/** The service's id of what it created. */
export function idOf(answer: unknown): string | undefined {
  if (!isRecord(answer)) return undefined;
  const id = answer['message_id'] ?? answer['id'];
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? redact(String(id)) : undefined;
}

const longestReason = 500;

export function storedReason(reason: string): string {
  return redact(reason).slice(0, longestReason);
}
