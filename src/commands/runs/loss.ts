import type { Run } from '../../bulk/run/runs.ts';

/** What would be lost with a run; undefined where it is nothing that anybody needs. */
export function lossOf(id: string, run: Run | undefined, files: readonly string[]): string | undefined {
  const losses = [
    ...(run?.state === 'unfinished' ? [`of which ${run.summary.unsent} rows were not sent`] : []),
    ...(run?.state === 'damaged' ? ['of which nobody knows what it sent'] : []),
    ...(files.length > 0 ? [`and with it the only copy of the rows in ${files.join(' and ')}`] : []),
  ];
  return losses.length === 0 ? undefined : `the run ${[id, ...losses].join(', ')}`;
}
