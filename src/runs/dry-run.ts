import type { Unit } from './input/source.ts';
import type { Ui } from '../cli/command.ts';
import type { RunClient } from '../session/session.ts';
import type { CliError, ExitName } from '../base/errors.ts';
import { jsonText, parseJson } from '../base/json.ts';
import type { Accepted } from '../ledger/ledger.ts';
import { rowsText, took, whole } from '../cli/output/figures.ts';
import { rendered, type TemplateFacts } from '../cli/templates.ts';
import { isRecord } from '../contract/readers.ts';
import type { Action } from './action.ts';
import { dueIn, type SkippedCounts, skipsOf, skipText, sumOf, verbOf } from './tally.ts';
import type { Preflight } from './preflight.ts';
import type { Reason } from './reasons.ts';

/** The effect that a run would have. */
interface DryRun {
  readonly type: 'rehearsal';
  readonly kind: Action['kind'];
  readonly rows: number;
  /** Valid rows. */
  readonly ready: number;
  readonly would_send: number;
  /** The run that it would continue. */
  readonly run: string | null;
  /** Why it would not begin. */
  readonly refused: { readonly code: string; readonly message: string } | null;
  readonly skipped: SkippedCounts;
  readonly bad: number;
  readonly bad_rows: Preflight['invalidRows'];
  readonly repeated: number;
  /** What `same_as` counts. */
  readonly unit: Unit;
  readonly repeated_rows: readonly { readonly line: number; readonly row: number; readonly same_as: number }[];
  /** Rows with another message for the recipient of an earlier one. */
  readonly conflict_rows: DryRun['repeated_rows'];
  /** Valid rows that look damaged. */
  readonly suspect: number;
  readonly suspect_rows: Preflight['suspectRows'];
  /** The first body. */
  readonly first: unknown;
  /** The text of the first message; null if the template's text is not known. */
  readonly first_text: string | null;
  /** Null if no rate limit is known. */
  readonly pace: { readonly requests: number; readonly window_seconds: number } | null;
  /** The limit of the plan; it applies if it is lower than the pace. */
  readonly plan_per_minute: number | null;
  readonly least_seconds: number | null;
  /** An address; `local` is the sandbox on this machine. */
  readonly target: string;
  /** Messages of the plan's month, if it has a limit. */
  readonly month: { readonly limit: number; readonly share: number } | null;
}

export interface DryRunEnded {
  readonly dryRun: DryRun;
  /** Why rows cannot be sent. */
  readonly reasons: readonly Reason[];
  readonly unit: Unit;
  readonly exit: ExitName | CliError;
}

export interface DryRunFacts {
  readonly found: Preflight;
  /** Undefined if it would be refused. */
  readonly accepted: Accepted | undefined;
  readonly refused?: CliError | undefined;
  readonly client: Pick<RunClient, 'pace' | 'target'>;
  readonly kind: Action['kind'];
  readonly unit: Unit;
  /** The body of the first row that would be sent. */
  readonly first: string | undefined;
  /** Undefined if the service does not show it. */
  readonly template: TemplateFacts | undefined;
}

export function dryRunOf(given: DryRunFacts): DryRunEnded {
  const { found, accepted, refused, client, kind, unit, template } = given;
  const { pace, target } = client;
  const { rows, invalid } = found;
  const due = accepted ? dueIn(accepted) : 0;
  const skipped = skipsOf(found, accepted);
  const least = pace.minimumDuration(due);
  const { known } = pace;
  const { perMinute, perMonth } = target.plan;
  const first = given.first === undefined ? null : parseJson(given.first);
  const dryRun: DryRun = {
    type: 'rehearsal',
    kind,
    rows,
    ready: rows - invalid - skipped.excluded - skipped.where,
    would_send: due,
    run: accepted?.continues ? accepted.run : null,
    refused: refused ? { code: refused.code, message: refused.message } : null,
    skipped,
    bad: invalid,
    bad_rows: found.invalidRows,
    repeated: skipped.duplicate,
    repeated_rows: found.duplicateRows.map(({ line, row, as }) => ({ line, row, same_as: as })),
    conflict_rows: found.conflictRows.map(({ line, row, as }) => ({ line, row, same_as: as })),
    unit,
    suspect: found.suspect,
    suspect_rows: found.suspectRows,
    first,
    first_text: template && isRecord(first) ? (rendered(template, paramsIn(first)) ?? null) : null,
    pace: known ? { requests: known.perWindow, window_seconds: known.window / 1_000 } : null,
    plan_per_minute: perMinute ?? null,
    target: target.address,
    least_seconds: least === undefined ? null : least / 1_000,
    month: kind === 'message' && perMonth !== undefined ? { limit: perMonth, share: due / perMonth } : null,
  };
  return { dryRun, reasons: found.reasons.list(), unit, exit: refused ?? (invalid > 0 ? 'partial' : 'done') };
}

function paramsIn({ params }: Readonly<Record<string, unknown>>): readonly string[] {
  return Array.isArray(params) ? params.map(String) : [];
}

/** Fits on a screen, with the result last. */
export function dryRunText({ dryRun, reasons, unit }: DryRunEnded, ui: Ui): string {
  const { rows, would_send: due, run, refused, skipped, bad, suspect, first, kind } = dryRun;
  const lines: string[] = [];
  if (first !== null) lines.push(`the first body: ${jsonText(first)}`);
  if (dryRun.first_text !== null) lines.push(`the first message: "${dryRun.first_text}"`);
  if (bad > 0) lines.push(ui.color.red(`${whole(bad)} cannot be sent:`), ...reasonLines(reasons, unit));
  if (suspect > 0)
    lines.push(ui.color.yellow(`${whole(suspect)} ${damaged(suspect)}:`), ...suspectLines(dryRun, unit).slice(0, most));
  const { another_message: conflicts, duplicate } = skipped;
  if (duplicate > 0) {
    const which = duplicate === 1 ? '1 row repeats an earlier row' : `${whole(duplicate)} rows repeat an earlier row`;
    lines.push(`${which}${pairText(dryRun.repeated_rows, duplicate, unit, 'the same as')}`);
  }
  if (conflicts > 0) {
    const which = `${rowsText(conflicts)} ${conflicts === 1 ? 'has' : 'have'} another message for an earlier recipient`;
    lines.push(ui.color.yellow(`${which}${pairText(dryRun.conflict_rows, conflicts, unit, 'other than')}`));
  }
  const { excluded, where } = skipped;
  if (excluded > 0) lines.push(`${whole(excluded)} excluded`);
  if (where > 0) lines.push(`${whole(where)} left out by --where`);
  const others = { ...skipped, duplicate: 0, excluded: 0, where: 0, another_message: 0 };
  const count = sumOf(others);
  if (count > 0) {
    const why = skipText({ skipped: others, job: null, continues: run !== null, verb: verbOf(kind) });
    lines.push(`${whole(count)} would be skipped: ${why}`);
  }
  if (due > 0) lines.push(...timeLines(dryRun));
  if (run !== null) lines.push(`it would continue run ${run}`);
  if (refused) lines.push(ui.color.red(`this command would stop: ${refused.message}`));
  lines.push(`${whole(due)} of ${rowsText(rows)} would be ${verbOf(kind)}; nothing was ${verbOf(kind)}`);
  return lines.map((line) => wrapped(line, ui)).join('\n');
}

/** A body and a message stay as they are. */
function wrapped(line: string, ui: Ui): string {
  return line.startsWith('the first ') ? line : ui.line([line], '    ');
}

/** Reasons and rows that a screen has room for. */
const most = 3;

/** The most frequent reasons, each with its first row. */
export function reasonLines(reasons: readonly Reason[], unit: Unit): readonly string[] {
  const lines = reasons.slice(0, most).map(({ reason, count, first_line: line }) => {
    const where = line > 0 ? ` (${unit} ${line}${count > 1 ? ', …' : ''})` : '';
    return `  ${whole(count)} x ${reason}${where}`;
  });
  const left = reasons.slice(most).reduce((sum, { count }) => sum + count, 0);
  return left > 0 ? [...lines, `  ${whole(left)} x other reasons`] : lines;
}

function suspectLines({ suspect, suspect_rows: rows }: DryRun, unit: Unit): readonly string[] {
  const lines = rows.slice(0, most).map((row) => `  ${placeText(unit, row)}: ${row.field}: ${row.reason}`);
  return suspect > lines.length ? [...lines.slice(0, most - 1), `  and ${whole(suspect - most + 1)} more`] : lines;
}

/** The first of the rows that repeat an earlier one, or its recipient. */
function pairText([row]: DryRun['repeated_rows'], count: number, unit: Unit, text: string): string {
  if (!row) return '';
  return ` (${placeText(unit, row)}: ${text} ${unit} ${row.same_as}${count > 1 ? ', …' : ''})`;
}

/** A run's note about damaged rows, before it sends them. */
export function suspectRowsNote({ suspect, suspectRows: [first] }: Preflight, unit: Unit): string | undefined {
  if (!first) return undefined;
  const where = `${suspect === 1 ? 'on' : 'the first, on'} ${placeText(unit, first)}`;
  return `${rowsText(suspect)} ${damaged(suspect)}; ${where}: ${first.field}: ${first.reason} (--dry-run lists them)`;
}

function damaged(rows: number): string {
  return rows === 1 ? 'looks damaged, and is not repaired' : 'look damaged, and are not repaired';
}

function placeText(unit: Unit, { line, row }: { readonly line: number; readonly row: number }): string {
  return unit === 'line' ? `line ${line}` : `record ${row}`;
}

/** How long it will take, and what of the plan's month. */
function timeLines(dryRun: DryRun): readonly string[] {
  const { month, would_send: left } = dryRun;
  if (!month) return [timeLine(dryRun)];
  const share = `${(100 * month.share).toFixed(1)} % of the plan's month of ${whole(month.limit)}`;
  return [timeLine(dryRun), left === 1 ? `1 message is ${share}` : `${whole(left)} messages are ${share}`];
}

function timeLine({ pace, least_seconds: least, would_send: left, plan_per_minute: plan, target }: DryRun): string {
  if (!pace || least === null) return unpaced(plan, target);
  const isTooMuch = plan !== null && (60 * pace.requests) / pace.window_seconds > plan;
  const rate = isTooMuch ? { requests: plan, window_seconds: 60 } : pace;
  const above = `${rateText(pace)} is more than the plan allows (${whole(plan ?? 0)} a minute): `;
  return `${isTooMuch ? above : ''}${duration(rate, left, least)}`;
}

function unpaced(plan: number | null, target: DryRun['target']): string {
  if (plan !== null) return 'requests are not paced: --rate none';
  const practice = target === 'local' ? ' (bizmsg sandbox plan set growth simulates a plan)' : '';
  return `no plan is known, so requests are not paced; --rate limits them${practice}`;
}

type Rate = NonNullable<DryRun['pace']>;

/** The requests of one window leave together; the next ones follow when it is over. */
function duration(rate: Rate, left: number, least: number): string {
  const rest = left - rate.requests;
  if (rest <= 0) return `the limit of ${rateText(rate)} does not slow it down`;
  const later =
    rest > rate.requests ? `${whole(rate.requests)} each ${unitOf(rate)}` : `${whole(rest)} a ${unitOf(rate)} later`;
  return `at ${rateText(rate)} it takes at least ${took(least)}: ${whole(rate.requests)} at once, then ${later}`;
}

function rateText(rate: Rate): string {
  return `${whole(rate.requests)} a ${unitOf(rate)}`;
}

function unitOf({ window_seconds: seconds }: Rate): string {
  return seconds === 1 ? 'second' : 'minute';
}
