import { CliError, configuration, exitCodes, fsError } from '../../base/errors.ts';
import { fileUnusable, tooManyFiles } from '../../base/files.ts';
import type { Output } from '../../base/host.ts';
import { jsonText } from '../../base/json.ts';
import { withoutSecrets } from '../../base/redact.ts';
import { folded, safeJson, safeLine, safeLines } from './text.ts';

export interface Reporter {
  note(code: string, message: string): void;
  error(failure: CliError): void;
  /** Text for a person who is asked next. */
  say(text: string): void;
  /** A line of the trace. */
  trace(line: string): void;
  /** The live last line of a terminal; an empty one removes it. */
  live(line: string): void;
  /** Redacts this text from all later output. */
  hide(secret: string): void;
  clean(text: string): string;
}

interface ReporterOptions {
  readonly stderr: Output;
  readonly json: boolean;
  readonly redact: (text: string, secrets: Iterable<string>) => string;
}

const clearLine = '\r\u001b[2K';

/** Prints notes and errors: as text, or one JSON object per line. */
export function createReporter({ stderr, json, redact }: ReporterOptions): Reporter {
  const secrets = new Set<string>();
  let last = '';
  const write = (text: string) => {
    const line = `${redact(text, secrets)}\n`;
    void stderr.write(last === '' ? line : clearLine + line + last);
  };
  const wrap = (text: string) => (stderr.isTTY ? folded([text], stderr.columns || 80) : text);
  const object = (value: object) => write(stderr.isTTY ? safeJson(jsonText(value)) : jsonText(value));
  return {
    note: (code, message) => (json ? object({ note: { code, message } }) : write(wrap(`note: ${safeLine(message)}`))),
    error: (failure) => (json ? object({ error: described(failure) }) : write(readable(failure, wrap))),
    say: (text) => write(safeLines(text).split('\n').map(wrap).join('\n')),
    trace: (line) => (json ? object({ note: { code: 'trace', message: line } }) : write(safeLines(line))),
    live: (line) => {
      if (line !== last) void stderr.write(clearLine + line);
      last = line;
    },
    hide: (secret) => void secrets.add(secret),
    clean: (text) => withoutSecrets(text, secrets),
  };
}

function described({ code, message, hint, status, body, done }: CliError): object {
  return { code, message, hint, status, body, done };
}

function readable({ message, hint }: CliError, wrap: (text: string) => string): string {
  const lines = [wrap(`error: ${safeLine(message)}`)];
  if (hint)
    lines.push(
      ...safeLines(hint)
        .split('\n')
        .map((line) => wrap(`  ${line}`)),
    );
  return lines.join('\n');
}

/** The exit code after a signal, as shells define it. */
export function signalExit(reason: unknown): number {
  if (reason === 'SIGTERM') return exitCodes.terminated;
  return reason === 'SIGHUP' ? exitCodes.hungUp : exitCodes.interrupted;
}

/** Reports an error and returns its exit code. */
export function failed(error: unknown, { aborted, reason }: AbortSignal, reporter: Reporter): number {
  const signal: unknown = aborted ? reason : undefined;
  return signal === 'SIGPIPE' ? exitCodes.done : reported(error, signal, reporter);
}

/** Like `failed`, for a result that is a failure: a closed pipe does not turn it into success. */
export function failedInTheEnd(failure: CliError, { aborted, reason }: AbortSignal, reporter: Reporter): number {
  return reported(failure, aborted && reason !== 'SIGPIPE' ? reason : undefined, reporter);
}

function reported(error: unknown, signal: unknown, reporter: Reporter): number {
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

/** The error of work that the signal aborted. */
function interrupted(error: unknown, signal: unknown): CliError | undefined {
  if (signal === undefined || !(error instanceof Error && error.name === 'AbortError')) return undefined;
  return new CliError('interrupted', 'interrupted', 'interrupted', { cause: error });
}

/** The error of a result that cannot be written, for example to a full disk. */
export function unwritable(error: unknown): CliError | undefined {
  if (!(error instanceof Error && 'isOutput' in error)) return undefined;
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
