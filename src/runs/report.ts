import { redact } from '../base/redact.ts';
import { isRecord } from '../contract/readers.ts';
import type { Ledger, ReportedRow } from '../ledger/ledger.ts';

export const outcomes = [
  'sent',
  'failed',
  'unsure',
  'skipped',
  'excluded',
  'duplicate',
  'invalid',
  'not_reached',
  'in flight',
] as const;
export type ShownOutcome = (typeof outcomes)[number];

/** The columns with the outcomes and the runs in a report of `runs show`; undefined in another table. */
export function reportColumns(columns: readonly string[]): { outcome: string; run: string } | undefined {
  const own = (name: string) => [`bizmsg_${name}`, name].find((one) => columns.includes(one));
  const [outcome, run] = [own('outcome'), own('run')];
  return outcome && run && own('line') && own('reason') ? { outcome, run } : undefined;
}

/** Whether the person of this row got the message, or may have, also from another run. */
export function isReached(outcome: unknown, run: unknown): boolean {
  if (outcome === 'skipped') return run !== undefined && run !== null && run !== '';
  return outcome === 'sent' || outcome === 'unsure' || outcome === 'in flight';
}

/** A row of `runs show`. */
export interface ShownRow {
  readonly line: number;
  readonly outcome: ShownOutcome;
  /** When it was sent, or its outcome was known. */
  readonly at: number | undefined;
  /** From the response of the service. */
  readonly id: string | undefined;
  readonly reason: string | undefined;
  /** The run that has it; for a skipped row the other run. */
  readonly run: string | undefined;
}

/** The rows of a run that are known without its input, in the order of the input. */
export async function rowsOfRun(ledger: Pick<Ledger, 'rows'>, run: string): Promise<readonly ShownRow[]> {
  const rows: ShownRow[] = [];
  for await (const page of ledger.rows(run))
    for (const row of page) {
      const shown = shownRow(row, run);
      // It was not sent yet, so its line is not known, or it was given up.
      if (shown.outcome !== 'not_reached') rows.push(shown);
    }
  return rows.sort((a, b) => a.line - b.line);
}

export function shownRow(row: ReportedRow, run: string): ShownRow {
  const { line = 0, id, code, reason } = row;
  const outcome = outcomeOf(row);
  const isOwn = row.state !== 'unsent' && outcome !== 'not_reached' && outcome !== 'skipped';
  const why = reason ?? (code === outcome ? undefined : code);
  return { line, outcome, at: isOwn ? row.at : undefined, id, reason: why, run: isOwn ? run : undefined };
}

function outcomeOf({ state, code }: ReportedRow): ShownOutcome {
  switch (state) {
    case 'done':
      return 'sent';
    case 'failed':
    case 'unsure':
      return state;
    case 'leaving':
      return 'in flight';
    case 'unsent':
      return code === 'invalid' || code === 'excluded' || code === 'duplicate' ? code : 'skipped';
    case 'withdrawn':
      // Another run has sent it meanwhile, or its recipient opted out.
      if (code === 'excluded') return code;
      return code === 'elsewhere' ? 'skipped' : 'not_reached';
    case 'absent':
    case 'planned':
    case 'released':
      break;
  }
  return 'not_reached';
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
