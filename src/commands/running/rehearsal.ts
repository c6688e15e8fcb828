import type { Foreseen } from '../../bulk/run/foresee.ts';
import type { Survey } from '../../bulk/survey.ts';
import type { Ui } from '../../cli/command.ts';
import type { RunClient } from '../../cli/run-client.ts';
import type { CliError, ExitName } from '../../errors.ts';
import { span, whole } from '../../terminal/run-progress.ts';
import type { Job } from './job.ts';

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
  readonly repeated_rows: readonly { readonly line: number; readonly same_as_row: number }[];
  /** Rows that would be sent, and that a spreadsheet seems to have damaged. */
  readonly suspect: number;
  readonly suspect_rows: Survey['suspectRows'];
  /** The first body. */
  readonly first: unknown;
  /** At this pace it takes so long at the least; null where no pace is known. */
  readonly pace: { readonly requests: number; readonly window_seconds: number } | null;
  readonly least_seconds: number | null;
  /** Messages of the plan's month, where it has a limit. */
  readonly month: { readonly limit: number; readonly share: number } | null;
}

export interface Rehearsed {
  readonly rehearsal: Rehearsal;
  readonly exit: ExitName | CliError;
}

export function rehearsalOf(
  found: Survey,
  { left, run, refused }: Foreseen,
  { pace, target }: RunClient,
  { kind }: Job,
): Rehearsal {
  const { rows, bad } = found;
  const least = pace.leastTime(left);
  const { known } = pace;
  const { perMonth } = target.plan;
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
    repeated_rows: found.repeatedRows.map(({ line, as }) => ({ line, same_as_row: as })),
    suspect: found.suspect,
    suspect_rows: found.suspectRows,
    first: found.first === undefined ? null : JSON.parse(found.first),
    pace: known ? { requests: known.perWindow, window_seconds: known.window / 1_000 } : null,
    least_seconds: least === undefined ? null : least / 1_000,
    month: kind === 'batch' && perMonth !== undefined ? { limit: perMonth, share: left / perMonth } : null,
  };
}

export function rehearsalText(rehearsal: Rehearsal, ui: Ui): string {
  const { rows, would_send: left, bad, repeated, suspect, first } = rehearsal;
  const lines = [`${whole(left)} of ${whole(rows)} rows would be sent; nothing was sent`, ...runLines(rehearsal, ui)];
  if (first !== null) lines.push(`the first body: ${JSON.stringify(first)}`);
  if (bad > 0) lines.push(ui.color.red(`${whole(bad)} cannot be sent:`), ...badLines(rehearsal));
  if (suspect > 0)
    lines.push(ui.color.yellow(`${whole(suspect)} may be damaged by a spreadsheet:`), ...suspectLines(rehearsal));
  if (repeated > 0)
    lines.push(ui.color.yellow(`${whole(repeated)} have the body of an earlier row:`), ...sameLines(rehearsal));
  return [...lines, ...(left > 0 ? timeLines(rehearsal) : [])].join('\n');
}

function runLines({ run, refused }: Rehearsal, ui: Ui): readonly string[] {
  if (refused) return [ui.color.red(`it would be refused: ${refused.message}`)];
  if (!run) return [];
  const { id, done, failed, unsure } = run;
  return [`before, by run ${id}: ${whole(done)} done, ${whole(failed)} failed, ${whole(unsure)} unsure`];
}

function badLines({ bad, bad_rows: rows }: Rehearsal): readonly string[] {
  return [...rows.map(({ line, reason }) => `  line ${line}: ${reason}`), ...rest(bad - rows.length)];
}

function suspectLines({ suspect, suspect_rows: rows }: Rehearsal): readonly string[] {
  return [
    ...rows.map(({ line, field, reason }) => `  line ${line}: ${field}: ${reason}`),
    ...rest(suspect - rows.length),
  ];
}

function sameLines({ repeated, repeated_rows: rows }: Rehearsal): readonly string[] {
  return [
    ...rows.map(({ line, same_as_row: as }) => `  line ${line}: that of row ${as}`),
    ...rest(repeated - rows.length),
  ];
}

function rest(count: number): readonly string[] {
  return count > 0 ? [`  and ${whole(count)} more`] : [];
}

function timeLines({ pace, least_seconds: least, month, would_send: left }: Rehearsal): readonly string[] {
  const lines = [];
  if (pace && least !== null) {
    const window = pace.window_seconds === 60 ? 'a minute' : `in ${span(pace.window_seconds)}`;
    lines.push(`at ${whole(pace.requests)} ${window} it takes at least ${span(least)}`);
  } else lines.push('no plan is known, so it goes as fast as the service answers; --rate says otherwise');
  if (month)
    lines.push(
      `${whole(left)} messages are ${(100 * month.share).toFixed(1)} % of the plan's month of ${whole(month.limit)}`,
    );
  return lines;
}
