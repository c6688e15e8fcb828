import { CliError, configuration, exitCodes } from '../../base/errors.ts';
import { fsError, fileUnusable, tooManyFiles } from '../../base/files.ts';
import type { Output } from '../../base/host.ts';
import { jsonText } from '../../base/json.ts';
import { withoutSecrets } from '../../base/redact.ts';
import { safeJson, safeLine, safeLines } from './text.ts';

export interface Reporter {
  note(code: string, message: string): void;
  error(failure: CliError): void;
  /** A line of the trace. */
  trace(line: string): void;
  /** A last line that all else is written above, on a terminal; an empty one ends it. */
  live(line: string): void;
  /** Keeps this text out of everything that leaves from now on. */
  hide(secret: string): void;
  clean(text: string): string;
}

interface ReporterOptions {
  readonly stderr: Output;
  readonly json: boolean;
  readonly redact: (text: string, secrets: Iterable<string>) => string;
}

const clearLine = '\r\u001b[2K';

/** Notes and errors: text for people, an object a line for programs. */
export function createReporter({ stderr, json, redact }: ReporterOptions): Reporter {
  const secrets = new Set<string>();
  let last = '';
  const write = (text: string) => {
    const line = `${redact(text, secrets)}\n`;
    void stderr.write(last === '' ? line : clearLine + line + last);
  };
  const object = (value: object) => write(stderr.isTTY ? safeJson(jsonText(value)) : jsonText(value));
  return {
    note: (code, message) => (json ? object({ note: { code, message } }) : write(`note: ${safeLine(message)}`)),
    error: (failure) => (json ? object({ error: described(failure) }) : write(readable(failure))),
    trace: (line) => (json ? object({ note: { code: 'trace', message: line } }) : write(safeLines(line))),
    live: (line) => {
      if (line !== last) void stderr.write(clearLine + line);
      last = line;
    },
    // As JSON writes it, too.
    hide: (secret) => [secret, JSON.stringify(secret).slice(1, -1)].forEach((form) => secrets.add(form)),
    clean: (text) => withoutSecrets(text, secrets),
  };
}

function described({ code, message, hint, status, body, done }: CliError): object {
  return { code, message, hint, status, body, done };
}

function readable({ message, hint }: CliError): string {
  const lines = [`error: ${safeLine(message)}`];
  if (hint)
    lines.push(
      ...safeLines(hint)
        .split('\n')
        .map((line) => `  ${line}`),
    );
  return lines.join('\n');
}

/** The code of a process that a signal ended, as shells count. */
export function signalExit(reason: unknown): number {
  if (reason === 'SIGTERM') return exitCodes.terminated;
  return reason === 'SIGHUP' ? exitCodes.hungUp : exitCodes.interrupted;
}

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
  const why = fsError(error)?.reason ?? error.message;
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
