import type { Outcome } from '../../bulk/run/report.ts';
import type { Context, Emit } from '../../cli/command.ts';

interface Counts {
  readonly done: number;
  readonly failed: number;
  readonly unsure: number;
}

interface Shown {
  readonly total: number;
  /** Of the parts before this one. */
  readonly before: Counts;
  readonly emit: Emit;
}

export interface Showing {
  take(outcome: Outcome): Promise<void> | undefined;
  end(): void;
}

/** Shows how far a run has come, and in NDJSON what became of each row. */
export async function showing(context: Context, { total, before, emit }: Shown): Promise<Showing> {
  const progress = await context.progress();
  const isStream = context.given.output === 'ndjson';
  const counts = { ...before };
  return {
    take(outcome) {
      counts[outcome.outcome] += 1;
      const { done, failed, unsure } = counts;
      progress.show({ settled: done + failed + unsure, total, failed, unsure });
      return isStream ? emit(itemOf(outcome), () => '') : undefined;
    },
    end: progress.end,
  };
}

function itemOf(outcome: Outcome): object {
  const { number, line } = outcome.row;
  const item = { type: 'row', row: number, line, outcome: outcome.outcome };
  if (outcome.outcome === 'done') return { ...item, answer: outcome.answer ?? null };
  return { ...item, code: outcome.code, reason: outcome.reason };
}
