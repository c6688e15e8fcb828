import type { Host } from '../base/host.ts';
import { isDead } from '../base/worker.ts';
import { whole } from '../cli/output/figures.ts';
import { startOf } from '../cli/output/text.ts';
import { type Batch, isWorking } from '../store/batch.ts';
import type { Tally, Totals } from '../store/tally.ts';
import type { State } from '../store/views.ts';

export const outcomes = ['sent', 'failed', 'unsure', 'waiting', 'not-sent'] as const;
export type Outcome = (typeof outcomes)[number];

/** The outcome of a row in a state. A row under way may have been sent. */
export const outcomeOf: Readonly<Record<State, Outcome>> = {
  waiting: 'waiting',
  'under way': 'unsure',
  sent: 'sent',
  failed: 'failed',
  unsure: 'unsure',
  held: 'not-sent',
  'not sent': 'not-sent',
  twice: 'not-sent',
  cancelled: 'not-sent',
};

/** How many rows of a batch have each outcome; `rows` is their sum. */
export function countsIn(totals: Totals = new Map()) {
  const count = (outcome: Outcome) =>
    [...totals].reduce((sum, [state, rows]) => sum + (outcomeOf[state] === outcome ? rows : 0), 0);
  return {
    rows: [...totals.values()].reduce((sum, rows) => sum + rows, 0),
    sent: count('sent'),
    waiting: count('waiting'),
    failed: count('failed'),
    unsure: count('unsure'),
    not_sent: count('not-sent'),
  };
}

export type BatchState = 'working' | 'cut off' | 'cancelled' | 'stopped' | 'done';

export function stateOf(batch: Batch, waiting: number, host: Pick<Host, 'now' | 'kill'>): BatchState {
  if (isWorking(batch, host.now()) && !isDead(batch.worker, host)) return 'working';
  if (batch.isLoading) return 'cut off';
  if (batch.isCancelled) return 'cancelled';
  return waiting > 0 ? 'stopped' : 'done';
}

/** Reasons of an imported row whose contact may have been there before. */
export const knownReasons = { known: 'known before', differs: 'the service kept other data' } as const;

/** Why a row has its outcome; undefined if there is nothing to say. */
export function reasonOf({ state, reason }: { state: State; reason: string | undefined }): string | undefined {
  if (state === 'waiting') return undefined;
  if (state === 'under way') return 'on its way';
  if (state === 'twice') return 'listed twice';
  if (state === 'cancelled') return reason ?? 'cancelled';
  if (state === 'sent') {
    if (reason === 'refused') return 'a newer text was refused';
    return reason === knownReasons.known || reason === knownReasons.differs ? reason : undefined;
  }
  // A process died while it sent the row once more.
  const isOfDead = state === 'unsure' && (reason === undefined || reason === 'sent' || reason === 'unsure');
  return isOfDead ? 'the process ended' : reason;
}

/** Rows with the same problem, apart from the values that it quotes. */
export interface Problem {
  /** The first of them as it is. */
  readonly reason: string;
  readonly count: number;
  /** Places of the first ones, and in what their reasons differ. */
  readonly lines: readonly number[];
  readonly values: readonly string[];
}

const mostLines = 3;
const mostKinds = 1_000;
const quotation = /"(?:[^"\\]|\\.)*"?/g;

/** Collects why rows cannot be sent, in little memory. */
export class Problems {
  readonly #kinds = new Map<string, { reason: string; count: number; lines: number[]; values: string[][] }>();

  add(reason: string, line: number, count = 1): void {
    const key = reason.replace(quotation, '""');
    const kind = this.#kinds.get(key) ?? { reason, count: 0, lines: [], values: [] };
    if (kind.count === 0 && this.#kinds.size === mostKinds) return;
    this.#kinds.set(key, kind);
    kind.count += count;
    if (line === 0 || kind.lines.length === mostLines) return;
    kind.lines.push(line);
    kind.values.push(reason.match(quotation) ?? []);
  }

  /** The most frequent first. */
  list(): readonly Problem[] {
    const kinds = [...this.#kinds.values()].sort((a, b) => b.count - a.count);
    return kinds.map((kind) => ({ ...kind, values: differences(kind.values) }));
  }
}

/** What differs: not the name of a column that all have. */
function differences(values: readonly (readonly string[])[]): readonly string[] {
  const isEqual = (text: string, at: number) => values.every((texts) => texts[at] === text);
  return values.map((texts) => texts.filter((text, at) => !isEqual(text, at)).join(', '));
}

/** Why rows of a batch were not sent. */
export interface Reason extends Problem {
  readonly outcome: 'failed' | 'unsure' | 'not_sent';
}

/** The reasons of each outcome, the most frequent first. */
export function reasonsIn(tallies: readonly Tally[]): readonly Reason[] {
  return (['failed', 'unsure', 'not-sent'] as const).flatMap((wanted) => {
    const problems = new Problems();
    for (const tally of tallies)
      if (outcomeOf[tally.state] === wanted) problems.add(tallyReason(tally), tally.line, tally.count);
    const outcome = wanted === 'not-sent' ? 'not_sent' : wanted;
    return problems.list().map((problem) => ({ outcome, ...problem }));
  });
}

/** With the batch that has these people. */
function tallyReason(tally: Tally): string {
  const reason = reasonOf(tally) ?? '';
  return tally.state === 'held' ? heldText(reason, tally.by) : reason;
}

/** `another text, batch sale-vip` */
export function heldText(why: string, by: string | undefined): string {
  return by ? `${why}, batch ${by}` : why;
}

/** Rows that other batches sent; null for single messages. */
export function beforeIn(tallies: readonly Tally[]) {
  return tallies.flatMap(({ state, by, count, at }) =>
    state === 'sent' && by !== undefined ? { batch: by || null, sent: count, at: new Date(at).toISOString() } : [],
  );
}

const mostReasons = 3;

/** The first reasons of an outcome, for failed rows with their places; `longest` letters are shared by them. */
export function reasonText(reasons: readonly Reason[], outcome: Reason['outcome'], longest = Infinity): string {
  const meant = reasons.filter((reason) => reason.outcome === outcome);
  const share = longest / Math.min(meant.length, mostReasons);
  const cut = meant.map((problem) => ({ ...problem, reason: startOf(problem.reason, share) }));
  const hasPlace = (reason: string) => outcome === 'failed' || reason === 'listed twice';
  return problemsText(cut.map((problem) => (hasPlace(problem.reason) ? problem : { ...problem, lines: [] })));
}

/** The first problems, each with its count unless it is the only one. */
export function problemsText(problems: readonly Problem[], unit: 'line' | 'row' = 'line'): string {
  const texts = problems.slice(0, mostReasons).map((problem) => {
    const text = problemText(problem, unit);
    return problems.length === 1 ? text : `${whole(problem.count)} ${text}`;
  });
  return [...texts, ...(problems.length > mostReasons ? ['…'] : [])].join(' · ');
}

/** `it is empty (lines 17, 45, 88 and 8 more)`, `"1" is not a phone number (line 17), "2" (line 45) and 8 more` */
export function problemText({ reason, count, lines, values }: Problem, unit: 'line' | 'row'): string {
  if (lines.length === 0) return reason;
  const more = count > lines.length ? ` and ${whole(count - lines.length)} more` : '';
  const isSame = new Set(values).size === 1;
  if (isSame) return `${reason} (${unit}${count === 1 ? '' : 's'} ${lines.join(', ')}${more})`;
  const places = lines.map((line, at) => `${at === 0 ? reason : values[at]} (${unit} ${line})`);
  return places.join(', ') + more;
}
