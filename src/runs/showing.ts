import type { Context, Emit } from '../cli/command.ts';
import type { Place } from './due.ts';
import type { Outcome } from './row.ts';

export interface Showing {
  take(outcome: Outcome): Promise<void> | undefined;
  /** A row that cannot be sent. */
  invalid(place: Place, reason: string): Promise<void> | undefined;
  end(): void;
}

/** Shows how far a run has come; with -o ndjson, prints each row as it ends. */
export async function showing(context: Context, total: number, emit: Emit): Promise<Showing> {
  const progress = await context.progress();
  const isStream = context.given.output === 'ndjson';
  const counts = { done: 0, failed: 0, unsure: 0, skipped: 0 };
  return {
    take(outcome) {
      counts[outcome.outcome] += 1;
      const { done, failed, unsure, skipped } = counts;
      progress.show({ settled: done + failed + unsure + skipped, total, failed, unsure });
      return isStream ? emit(itemOf(outcome), () => '') : undefined;
    },
    invalid: ({ number: row, line }, reason) =>
      isStream ? emit({ type: 'row', row, line, outcome: 'failed', code: 'invalid', reason }, () => '') : undefined,
    end: progress.end,
  };
}

function itemOf(outcome: Outcome): object {
  const { number, line } = outcome.row;
  const item = { type: 'row', row: number, line, outcome: outcome.outcome };
  if (outcome.outcome === 'done') return { ...item, answer: outcome.answer ?? null };
  if (outcome.outcome === 'skipped') return { ...item, reason: outcome.why };
  return { ...item, code: outcome.code, reason: outcome.reason };
}
