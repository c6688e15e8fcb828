import { CliError, configuration, exitCodes } from '../base/errors.ts';
import { fileFault, fileUnusable, tooManyFiles } from '../base/files.ts';
import { type Reporter, signalExit } from './report.ts';

/** Says what went wrong, and returns the exit code that says it to a shell. */
export function failed(error: unknown, { aborted, reason }: AbortSignal, reporter: Reporter): number {
  const signal: unknown = aborted ? reason : undefined;
  return signal === 'SIGPIPE' ? exitCodes.done : told(error, signal, reporter);
}

/** The same of what a command came to: that nobody read it to its end makes no success of it. */
export function failedInTheEnd(failure: CliError, { aborted, reason }: AbortSignal, reporter: Reporter): number {
  return told(failure, aborted && reason !== 'SIGPIPE' ? reason : undefined, reporter);
}

function told(error: unknown, signal: unknown, reporter: Reporter): number {
  if (isPromptLeft(error)) return signalExit(signal ?? 'SIGINT');
  const failure =
    error instanceof CliError
      ? error
      : (interrupted(error, signal) ??
        unwritable(error) ??
        fileUnusable(error) ??
        tooManyFiles(error) ??
        unexpected(error));
  reporter.error(failure);
  return signal === undefined ? exitCodes[failure.exit] : signalExit(signal);
}

/** Whatever the signal called off, such as the wait for a sandbox that starts. */
function interrupted(error: unknown, signal: unknown): CliError | undefined {
  if (signal === undefined || !(error instanceof Error && error.name === 'AbortError')) return undefined;
  return new CliError('interrupted', 'interrupted', 'interrupted', { cause: error });
}

/** A result that cannot be written, as on a full disk, must not look like success. */
export function unwritable(error: unknown): CliError | undefined {
  if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) return undefined;
  const why = fileFault(error)?.reason ?? error.message;
  return configuration('output-unwritable', `not all of the result could be written: ${why}`, undefined, error);
}

function unexpected(error: unknown): CliError {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new CliError('unexpected', 'bug', `this is a bug in bizmsg: ${text.split('\n')[0]}`, {
    hint: `please report it with the command and these lines:\n${text}`,
  });
}

/** Ctrl-C at a prompt. */
function isPromptLeft(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError');
}
