import type { Run } from '../../bulk/run/runs.ts';

/** A run as a row. */
export function runRow(run: Run): object {
  const { id, state } = run;
  if (run.state === 'damaged') return { id, state, problem: run.problem.message };
  const { kind, path, template, address, mode, startedAt } = run.facts;
  const { rows, done, failed, unsure, unsent, onTheirWay } = run.summary;
  return {
    id,
    state,
    kind,
    input: path === '-' ? 'stdin' : path,
    template: template ?? null,
    rows,
    done,
    failed,
    unsure,
    unsent,
    on_their_way: onTheirWay,
    address,
    mode,
    started_at: new Date(startedAt).toISOString(),
    last_at: new Date(run.lastAt).toISOString(),
  };
}
