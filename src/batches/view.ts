import { parseJson } from '../base/json.ts';
import type { Ui } from '../cli/command.ts';
import { sum } from './forecast.ts';
import { heldText } from './outcomes.ts';
import { type Overview, overviewText } from './overview.ts';
import { type Assignment, type Ended, resultText, whereToFind } from './summary.ts';
import { type Tested, testText } from './template.ts';

export type Rehearsed = Readonly<ReturnType<typeof rehearsed>>;

/** What a command would do. `rows` is the sum of `to_send` and the five outcomes; `id` is undefined for a new batch. */
export function rehearsed(overview: Overview, command: Assignment['command']) {
  const { batch, forecast, samples, scope, load } = overview;
  const { before, held } = forecast;
  const heldReasons = held.map(({ why, by, count }) => ({ reason: heldText(why, by), count, lines: [], values: [] }));
  const notSent = [...forecast.notSent, ...heldReasons];
  const [first] = samples;
  const dryRun = {
    type: 'dry_run' as const,
    command,
    batch: overview.name,
    id: batch?.id ?? null,
    is_new: batch === undefined,
    account: scope.account,
    mode: scope.mode,
    template: scope.kind === 'import' ? null : scope.template,
    file: load?.name ?? null,
    rows: forecast.rows,
    to_send: forecast.toSend,
    /** Of the rows to send: numbers that are not mobile numbers of their country. */
    not_mobile: load?.copied.notMobile.count ?? 0,
    sent: forecast.sentHere + sum(before) + forecast.changed,
    failed: forecast.failed,
    unsure: forecast.unsure,
    waiting: forecast.later,
    not_sent: sum(notSent),
    before: before.map(({ by, count, at }) => ({ batch: by || null, sent: count, at: new Date(at).toISOString() })),
    changed: forecast.changed,
    others: forecast.others,
    known: 0,
    other_data: 0,
    reasons: [
      ...(load?.copied.problems ?? []).map((problem) => ({ outcome: 'failed' as const, ...problem })),
      ...notSent.map((problem) => ({ outcome: 'not_sent' as const, ...problem })),
    ],
    /** The body of the first message or contact. */
    first: first === undefined ? null : parseJson(first),
  };
  return { dryRun, overview };
}

type Shown = Ended | Rehearsed | Tested;

/** Shows the end of a batch command, what it would do, or its test. */
export const batchView = {
  data: (shown: Shown) => ('result' in shown ? shown.result : 'test' in shown ? shown.test : shown.dryRun),
  view: (shown: Shown, ui: Ui) => {
    if ('result' in shown) return resultText(shown, ui);
    return 'test' in shown ? testText(shown, ui) : ui.outside(overviewText(shown.overview, ui.width));
  },
  exit: (shown: Shown) => ('result' in shown ? shown.exit : 'done'),
  changes: (shown: Shown) => !('overview' in shown),
  unprinted: (shown: Shown) => ('result' in shown ? whereToFind(shown) : undefined),
} as const;
