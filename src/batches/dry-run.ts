import { parseJson } from '../base/json.ts';
import { heldText, sum } from './forecast.ts';
import type { Overview } from './overview.ts';
import type { BatchResult } from './summary.ts';

/** The result of a dry run. `rows` is the sum of `to_send` and the five outcomes. */
interface DryRun extends Omit<BatchResult, 'type' | 'id' | 'now' | 'stopped' | 'started_at' | 'ended_at'> {
  readonly type: 'dry_run';
  readonly id: string | null;
  readonly to_send: number;
  /** Of the rows to send: numbers that are not mobile numbers of their country. */
  readonly not_mobile: number;
  /** The body of the first message or contact. */
  readonly first: unknown;
}

export interface Rehearsed {
  readonly dryRun: DryRun;
  readonly overview: Overview;
}

/** `id` is undefined for a new batch. */
export function rehearsed(overview: Overview, command: DryRun['command'], id: string | undefined): Rehearsed {
  const { forecast, samples, scope, copied } = overview;
  const { before, held, notSent } = forecast;
  const [first] = samples;
  const dryRun: DryRun = {
    type: 'dry_run',
    command,
    batch: overview.name,
    id: id ?? null,
    is_new: id === undefined,
    account: scope.account,
    mode: scope.mode,
    template: scope.kind === 'import' ? null : scope.template,
    file: overview.file ?? null,
    rows: forecast.rows,
    to_send: forecast.toSend,
    not_mobile: copied?.notMobile.count ?? 0,
    sent: forecast.sentHere + sum(before) + forecast.changed,
    failed: forecast.failed,
    unsure: forecast.unsure,
    waiting: forecast.later,
    not_sent: sum(notSent) + sum(held),
    before: before.map(({ by, count, at }) => ({ batch: by || null, sent: count, at: new Date(at).toISOString() })),
    changed: forecast.changed,
    others: forecast.others,
    known: 0,
    other_data: 0,
    reasons: [
      ...(copied?.problems ?? []).map(({ reason, count, lines: [line = 0] }) =>
        reasonOf('failed', reason, count, line),
      ),
      ...notSent.map(({ reason, count }) => reasonOf('not_sent', reason, count)),
      ...held.map(({ why, by, count }) => reasonOf('not_sent', heldText(why, by), count)),
    ],
    first: first === undefined ? null : parseJson(first),
  };
  return { dryRun, overview };
}

function reasonOf(outcome: 'failed' | 'not_sent', reason: string, count: number, line = 0) {
  return { outcome, reason, count, first_line: line };
}
