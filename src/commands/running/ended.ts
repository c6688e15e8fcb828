import type { Unit } from '../../bulk/rows/place.ts';
import { exitOf } from '../../bulk/run/summary.ts';
import type { Summary } from '../../bulk/run/summary.ts';
import { CliError } from '../../errors.ts';
import { whole } from '../../terminal/run-progress.ts';
import { goesOn } from './going-on.ts';
import type { Job } from './job.ts';
import type { Ended, RunResult } from './result.ts';

interface Told {
  readonly run: string;
  readonly files: { readonly failed: string | null; readonly unsure: string | null };
  readonly typed: readonly string[];
  readonly command: string;
  /** As it was given. */
  readonly input: string;
  readonly unit: Unit;
  /** Whether rows were sent, this time. */
  readonly sent: boolean;
  /** What is to be said to whoever mends it. */
  readonly clue: string | undefined;
}

export function endedOf(summary: Summary, told: Told): Ended {
  const { rows, done, failed, unsure, skipped, unsent, reasons, unsureLines, unsureRows, stopped } = summary;
  const { run, files, unit, sent } = told;
  const result: RunResult = {
    type: 'summary',
    command: told.command,
    input: told.input,
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
    unsure_rows: unsureRows,
    failed_file: files.failed,
    unsure_file: files.unsure,
    stopped: stopped ? { code: stopped.code, message: stopped.message } : null,
  };
  const exit = stopped ? stop(stopped, summary, told) : exitOf(summary);
  return { result, exit, unit, sent, standing: standingOf(summary, told) };
}

function stop(stopped: NonNullable<Summary['stopped']>, summary: Summary, { typed, clue }: Told): CliError {
  const { exit, code, message } = stopped;
  const hint = summary.unsent > 0 ? `${unsentIn(summary)}; ${goesOn(stopped, summary, typed)}` : stopped.hint;
  return new CliError(exit, code, message, { hint: clue === undefined ? hint : `${clue}\n${hint ?? ''}` });
}

function unsentIn({ unsent }: Summary): string {
  return unsent === 1 ? '1 row was not sent' : `${whole(unsent)} rows were not sent`;
}

function standingOf(summary: Summary, { typed, run }: Told): string {
  const { rows, done, failed, unsure, unsent, stopped } = summary;
  const also = [failed > 0 && `${whole(failed)} failed`, unsure > 0 && `${whole(unsure)} unsure`].filter(Boolean);
  const far = [`${whole(done)} of ${whole(rows)} rows are done`, ...also].join(', ');
  if (!stopped || unsent === 0) return `${far}; bizmsg runs show ${run} shows it`;
  return `${far}; ${unsentIn(summary)}; ${goesOn(stopped, summary, typed)}`;
}

export function commandOf({ kind }: Pick<Job, 'kind'>): string {
  return kind === 'import' ? 'contacts import' : 'send-batch';
}

/** No run at all. */
export function endedEmpty(command: string, input: string): Ended {
  const none = { rows: 0, done: 0, failed: 0, unsure: 0, skipped: 0, unsent: 0, seconds: 0 };
  const files = { failed_file: null, unsure_file: null };
  const result: RunResult = {
    type: 'summary',
    command,
    input,
    run: null,
    ...none,
    reasons: [],
    unsure_lines: [],
    unsure_rows: [],
    ...files,
    stopped: null,
  };
  return { result, exit: 'done', unit: 'line', sent: false, standing: 'there were no rows' };
}
