import type { Desk } from './order.ts';
import type { WorkOutcome } from './work.ts';
export async function showProgress(desk: Desk, { name, total }: { name: string; total: number }) {
  const { context, emit } = desk;
  const progress = await context.progress();
  let done = 0;
  progress.follow(() => `${name} ${done} of ${total}`);
  const isStream = context.given.output === 'ndjson';
  return {
    take(outcome: WorkOutcome) {
      done += 1;
      return isStream
        ? emit([
            {
              data: {
                type: 'row',
                row: outcome.n,
                line: outcome.line,
                outcome: outcome.state,
                id: outcome.id,
                code: outcome.code,
                reason: outcome.reason,
              },
              text: () => '',
            },
          ])
        : undefined;
    },
    outage() {},
    end: progress.end,
  };
}
