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

function stop(stopped: NonNullable<Summary['stopped']>, unsent: number, resume: string): CliError {
  const { exit, code, message } = stopped;
  const left = unsent === 1 ? '1 row was' : `${whole(unsent)} rows were`;
  const hint = unsent > 0 ? `${left} not sent; go on with: ${resume}` : stopped.hint;
  return new CliError(exit, code, message, { hint });
}

/** No run at all. */
export function endedEmpty(): Ended {
  const none = { rows: 0, done: 0, failed: 0, unsure: 0, skipped: 0, unsent: 0, seconds: 0 };
  const files = { failed_file: null, unsure_file: null };
  const result: RunResult = {
    type: 'summary',
    run: null,
    ...none,
    reasons: [],
    unsure_lines: [],
    ...files,
    stopped: null,
  };
  return { result, exit: 'done' };
}
