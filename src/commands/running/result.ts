import type { Unit } from '../../bulk/rows/place.ts';
import { placesIn } from '../../bulk/run/places.ts';
import type { Summary } from '../../bulk/run/summary.ts';
import type { Ui } from '../../cli/command.ts';
import type { CliError, ExitName } from '../../errors.ts';
import { took, whole } from '../../terminal/run-progress.ts';

/** What a run came to, all its parts together. */
export interface RunResult {
  readonly type: 'summary';
  readonly command: string;
  /** As it was given. */
  readonly input: string;
  /** Null where there are no rows. */
  readonly run: string | null;
  readonly rows: number;
  readonly done: number;
  readonly failed: number;
  readonly unsure: number;
  readonly skipped: number;
  readonly unsent: number;
  readonly seconds: number;
  readonly reasons: Summary['reasons'];
  readonly unsure_lines: readonly number[];
  /** The same as numbers of rows, counted from 1. */
  readonly unsure_rows: readonly number[];
  readonly failed_file: string | null;
  readonly unsure_file: string | null;
  readonly stopped: { readonly code: string; readonly message: string } | null;
}

export interface Ended {
  readonly result: RunResult;
  readonly exit: ExitName | CliError;
  /** Whether rows were sent, this time. */
  readonly sent: boolean;
  /** How far it came, and what goes on with it, in words. */
  readonly standing: string;
  /** By what people find a row. */
  readonly unit: Unit;
}

export function resultText({ result, unit }: Ended, ui: Ui): string {
  const { failed, unsure, skipped, unsent } = result;
  const lines = [firstLine(result, ui)];
  if (skipped > 0) lines.push(`${whole(skipped)} of all rows were settled before`);
  if (failed > 0) lines.push(ui.color.red(`${whole(failed)} failed`) + at(result.failed_file));
  if (unsure > 0)
    lines.push(ui.color.yellow(`${whole(unsure)} unsure`) + at(result.unsure_file) + placesOf(result, unit));
  if (unsent > 0) lines.push(`${whole(unsent)} not sent`);
  return [...lines, ...result.reasons.map(({ reason, count }) => `  ${whole(count)} x ${reason}`)].join('\n');
}

function firstLine({ rows, done, seconds, stopped }: RunResult, ui: Ui): string {
  const far = `${whole(done)} of ${whole(rows)} rows`;
  if (stopped) return `${ui.done('Stopped', 'yellow')}: ${far} are done, after ${took(seconds)}`;
  return `${ui.done('Done')}: ${far} in ${took(seconds)}`;
}

function at(file: string | null): string {
  return file === null ? '' : `: ${file}`;
}

function placesOf({ unsure, unsure_lines: lines, unsure_rows: rows }: RunResult, unit: Unit): string {
  const places = unit === 'line' ? lines : rows;
  return places.length === 0 ? '' : `; of ${placesIn(places, unsure, unit)}`;
}
