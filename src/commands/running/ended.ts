import { exitOf } from '../../bulk/run/summary.ts';
import type { Summary } from '../../bulk/run/summary.ts';
import { CliError } from '../../errors.ts';
import { whole } from '../../terminal/run-progress.ts';
import type { Ended, RunResult } from './result.ts';

interface Told {
  readonly run: string;
  readonly files: { readonly failed: string | null; readonly unsure: string | null };
  /** The command line that goes on with it. */
  readonly resume: string;
}

export function endedOf(summary: Summary, { run, files, resume }: Told): Ended {
  const { rows, done, failed, unsure, skipped, unsent, reasons, unsureLines, stopped } = summary;
  const result: RunResult = {
    type: 'summary',
    run,
    rows,
    done,
    failed,
    unsure,
    skipped,
    unsent,
    seconds: Math.round(summary.seconds * 1_000) / 1_000,
    reasons,
    unsure_lines: unsureLines,
    failed_file: files.failed,
    unsure_file: files.unsure,
    stopped: stopped ? { code: stopped.code, message: stopped.message } : null,
  };
  return { result, exit: stopped ? stop(stopped, unsent, resume) : exitOf(summary) };
}

function stop({ exit, code, message }: NonNullable<Summary['stopped']>, unsent: number, resume: string): CliError {
  const hint = `${whole(unsent)} rows were not sent; go on with: ${resume}`;
  return new CliError(exit, code, message, { hint });
}
