import { CliError, configuration, exitCodes, fsError } from '../../base/errors.ts';
import { fileUnusable } from '../../base/files.ts';
import type { Output } from '../../base/host.ts';
import { jsonText } from '../../base/json.ts';
import { withoutSecrets } from '../../base/redact.ts';
import type { Ui } from './ui.ts';
import { folded, safeJson, safeLine, safeLines } from './text.ts';

export type Reporter = ReturnType<typeof createReporter>;

interface ReporterOptions {
  readonly stderr: Output;
  readonly json: boolean;
  readonly color: Ui['color'];
  readonly redact: (text: string, secrets: Iterable<string>) => string;
}

const clearLine = '\r\u001b[2K';

/** Prints notes and errors: as text, or one JSON object per line. */
export function createReporter({ stderr, json, color, redact }: ReporterOptions) {
  const secrets = new Set<string>();
  let last = '';
  const write = (text: string) => {
    const line = `${redact(text, secrets)}\n`;
    void stderr.write(last === '' ? line : clearLine + line + last);
  };
  const wrap = (text: string) => (stderr.isTTY ? folded([text], stderr.columns || 80) : text);
  // A command stays one line that can be copied.
  const wrapText = (line: string) => (line.startsWith('  bizmsg ') ? line : wrap(line));
  const object = (value: object) => write(stderr.isTTY ? safeJson(jsonText(value)) : jsonText(value));
  return {
    note(code: string, message: string): void {
      if (json) return object({ note: { code, message } });
      const text = wrap(`note: ${safeLine(message)}`);
      return write(code === 'live' ? text : color.dim(text));
    },
    error(failure: CliError): void {
      const { code, message, hint, status, body, done } = failure;
      if (json) return object({ error: { code, message, hint, status, body, done } });
      const text = readable(failure).map(wrap).join('\n');
      return write(text.replace(/^error:/, (label) => color.bold(color.red(label))));
    },
    /** Text for a person who is asked next. */
    say: (text: string) => write(safeLines(text).split('\n').map(wrapText).join('\n')),
    /** A line of the trace. */
    trace: (line: string) => (json ? object({ note: { code: 'trace', message: line } }) : write(safeLines(line))),
    /** The live last line of a terminal; an empty one removes it. */
    live(line: string): void {
      if (line !== last) void stderr.write(clearLine + line);
      last = line;
    },
    /** Redacts this text from all later output. */
    hide: (secret: string) => void secrets.add(secret),
    clean: (text: string) => withoutSecrets(text, secrets),
  };
}

function readable({ message, hint }: CliError): readonly string[] {
  const hints = hint ? safeLines(hint).split('\n') : [];
  return [`error: ${safeLine(message)}`, ...hints.map((line) => `  ${line}`)];
}

/** The exit code after a signal, as shells define it. */
export function signalExit(reason: unknown): number {
  if (reason === 'SIGTERM') return exitCodes.terminated;
  return reason === 'SIGHUP' ? exitCodes.hungUp : exitCodes.interrupted;
}

/** Reports an error and returns its exit code. A closed pipe ends a command without one, but hides no failed result. */
export function failed(error: unknown, { aborted, reason }: AbortSignal, reporter: Reporter, isResult = false): number {
  const isClosed = aborted && reason === 'SIGPIPE';
  if (isClosed && !isResult) return exitCodes.done;
  const signal: unknown = aborted && !isClosed ? reason : undefined;
  // Ctrl-C at a prompt.
  if (error instanceof Error && /^(?:Exit|Abort)PromptError$/.test(error.name)) return signalExit(signal ?? 'SIGINT');
  const failure = error instanceof CliError ? error : failureOf(error, signal);
  reporter.error(failure);
  return signal === undefined ? exitCodes[failure.exit] : signalExit(signal);
}

function failureOf(error: unknown, signal: unknown): CliError {
  const expected = interrupted(error, signal) ?? unwritable(error) ?? fileUnusable(error);
  if (expected) return expected;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const hint = `please report it with the command and these lines:\n${text}`;
  return new CliError('unexpected', 'bug', `this is a bug in bizmsg: ${text.split('\n')[0]}`, { hint });
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
