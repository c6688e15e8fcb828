import type { Unit } from '../../bulk/rows/place.ts';
import type { Foreseen } from '../../bulk/run/foresee.ts';
import type { Survey } from '../../bulk/survey.ts';
import type { Ui } from '../../cli/command.ts';
import type { RunClient } from '../../cli/run-client.ts';
import type { CliError, ExitName } from '../../errors.ts';
import { whole } from '../../terminal/run-progress.ts';
import type { Job } from './job.ts';
import { timeLines } from './rehearsed-time.ts';
import { jsonText, parseJson } from '../../json.ts';

/** What a run would do. */
export interface Rehearsal {
  readonly type: 'rehearsal';
  readonly rows: number;
  /** That can be sent at all. */
  readonly ready: number;
  /** Those of them that were not settled before. */
  readonly would_send: number;
  /** The run that it would go on with. */
  readonly run: NonNullable<Foreseen['run']> | null;
  /** Why it would not begin. */
  readonly refused: { readonly code: string; readonly message: string } | null;
  readonly bad: number;
  readonly bad_rows: Survey['badRows'];
  readonly repeated: number;
  /** What `same_as` counts, and people go by. */
  readonly unit: Unit;
  readonly repeated_rows: readonly { readonly line: number; readonly row: number; readonly same_as: number }[];
  /** Rows that would be sent, and that look damaged. */
  readonly suspect: number;
  readonly suspect_rows: Survey['suspectRows'];
  /** The first body that would be sent. */
  readonly first: unknown;
  /** At this pace it takes so long at the least; null where no pace is known. */
  readonly pace: { readonly requests: number; readonly window_seconds: number } | null;
  /** Of the plan, as far as it is known: where it allows less, it counts below. */
  readonly plan_per_minute: number | null;
  readonly least_seconds: number | null;
  /** An address; `local` is the sandbox on this machine. */
  readonly target: string;
  /** Messages of the plan's month, where it has a limit. */
  readonly month: { readonly limit: number; readonly share: number } | null;
}

export interface Rehearsed {
  readonly rehearsal: Rehearsal;
  readonly exit: ExitName | CliError;
}

export function rehearsalOf(
  found: Survey,
  { left, run, refused, first = found.first }: Foreseen,
  { pace, target }: RunClient,
  { kind, unit }: Pick<Job, 'kind'> & { readonly unit: Unit },
): Rehearsal {
  const { rows, bad } = found;
  const least = pace.leastTime(left);
  const { known } = pace;
  const { perMinute, perMonth } = target.plan;
  return {
    type: 'rehearsal',
    rows,
    ready: rows - bad,
    would_send: left,
    run: run ?? null,
    refused: refused ? { code: refused.code, message: refused.message } : null,
    bad,
    bad_rows: found.badRows,
    repeated: found.repeated ?? 0,
    repeated_rows: found.repeatedRows.map(({ line, row, as }) => ({ line, row, same_as: as })),
    unit,
    suspect: found.suspect,
    suspect_rows: found.suspectRows,
    first: first === undefined || left === 0 ? null : parseJson(first),
    pace: known ? { requests: known.perWindow, window_seconds: known.window / 1_000 } : null,
    plan_per_minute: perMinute ?? null,
    target: target.address,
    least_seconds: least === undefined ? null : least / 1_000,
    month: kind === 'batch' && perMonth !== undefined ? { limit: perMonth, share: left / perMonth } : null,
  };
}

export function rehearsalText(rehearsal: Rehearsal, ui: Ui): string {
  const { rows, would_send: left, bad, repeated, suspect, first } = rehearsal;
  const lines = [`${whole(left)} of ${whole(rows)} rows would be sent; nothing was sent`, ...runLines(rehearsal, ui)];
  if (first !== null) lines.push(`the first body: ${jsonText(first)}`);
  if (bad > 0) lines.push(ui.color.red(`${whole(bad)} cannot be sent:`), ...badLines(rehearsal));
  if (suspect > 0)
    lines.push(
      ui.color.yellow(
        `${whole(suspect)} ${suspect === 1 ? 'looks' : 'look'} damaged and would be sent as ${suspect === 1 ? 'it is' : 'they are'}:`,
      ),
      ...suspectLines(rehearsal),
    );
  if (repeated > 0) {
    const which = repeated === 1 ? '1 row repeats' : `${whole(repeated)} rows repeat`;
    const sent = `${which} an earlier row, and ${repeated === 1 ? 'is' : 'are'} sent too:`;
    lines.push(ui.color.yellow(sent), ...sameLines(rehearsal));
  }
  return [...lines, ...(left > 0 ? timeLines(rehearsal) : [])].join('\n');
}

function runLines({ run, refused }: Rehearsal, ui: Ui): readonly string[] {
  if (refused) return [ui.color.red(`it would be refused: ${refused.message}`)];
  if (!run) return [];
  const { id, done, failed, unsure } = run;
  return [`before, by run ${id}: ${whole(done)} done, ${whole(failed)} failed, ${whole(unsure)} unsure`];
}

function badLines(rehearsal: Rehearsal): readonly string[] {
  const { bad, bad_rows: rows } = rehearsal;
  return [...rows.map((row) => `  ${placeText(rehearsal, row)}: ${row.reason}`), ...rest(bad - rows.length)];
}

function suspectLines(rehearsal: Rehearsal): readonly string[] {
  const { suspect, suspect_rows: rows } = rehearsal;
  const lines = rows.map((row) => `  ${placeText(rehearsal, row)}: ${row.field}: ${row.reason}`);
  return [...lines, ...rest(suspect - rows.length)];
}

function sameLines(rehearsal: Rehearsal): readonly string[] {
  const { repeated, repeated_rows: rows, unit } = rehearsal;
  const lines = rows.map((row) => `  ${placeText(rehearsal, row)}: the same as ${unit} ${row.same_as}`);
  return [...lines, ...rest(repeated - rows.length)];
}

/** What a run says of damaged rows before it sends them. */
export function suspectNote({ suspect, suspectRows: [first] }: Survey, unit: Unit): string | undefined {
  if (!first) return undefined;
  const which =
    suspect === 1
      ? '1 row looks damaged and is sent as it is'
      : `${whole(suspect)} rows look damaged and are sent as they are`;
  const where = `${suspect === 1 ? 'on' : 'the first, on'} ${placeText({ unit }, first)}`;
  return `${which}; ${where}: ${first.field}: ${first.reason} (--dry-run lists them)`;
}

function placeText(
  { unit }: Pick<Rehearsal, 'unit'>,
  { line, row }: { readonly line: number; readonly row: number },
): string {
  return unit === 'line' ? `line ${line}` : `record ${row}`;
}

function rest(count: number): readonly string[] {
  return count > 0 ? [`  and ${whole(count)} more`] : [];
}
