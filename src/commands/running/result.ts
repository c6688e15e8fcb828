import type { Summary } from '../../bulk/run/summary.ts';
import type { Ui } from '../../cli/command.ts';
import type { CliError, ExitName } from '../../errors.ts';
import { span, whole } from '../../terminal/run-progress.ts';

/** What a run came to, all its parts together. */
export interface RunResult {
  readonly type: 'summary';
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
  readonly failed_file: string | null;
  readonly unsure_file: string | null;
  readonly stopped: { readonly code: string; readonly message: string } | null;
}

export interface Ended {
  readonly result: RunResult;
  readonly exit: ExitName | CliError;
}

export function resultText(result: RunResult, ui: Ui): string {
  const { rows, done, failed, unsure, skipped, unsent, seconds } = result;
  const lines = [`${ui.done('Done')}: ${whole(done)} of ${whole(rows)} rows in ${span(seconds)}`];
  if (skipped > 0) lines.push(`${whole(skipped)} of all rows were settled before`);
  if (failed > 0) lines.push(ui.color.red(`${whole(failed)} failed`) + at(result.failed_file));
  if (unsure > 0) lines.push(ui.color.yellow(`${whole(unsure)} unsure`) + at(result.unsure_file) + linesOf(result));
  if (unsent > 0) lines.push(`${whole(unsent)} not sent`);
  return [...lines, ...result.reasons.map(({ reason, count }) => `  ${whole(count)} x ${reason}`)].join('\n');
}

function at(file: string | null): string {
  return file === null ? '' : `: ${file}`;
}

function linesOf({ unsure, unsure_lines: lines }: RunResult): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, 20).join(', ');
  return `; of ${unsure === 1 ? 'line' : 'lines'} ${shown}${unsure > 20 ? ' …' : ''}`;
}
