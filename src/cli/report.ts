import { type CliError, exitCodes } from '../base/errors.ts';
import type { Output } from '../base/host.ts';
import { withoutSecrets } from '../base/redact.ts';
import { safeJson, safeLine, safeLines } from './output/text.ts';
import { jsonText } from '../base/json.ts';

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

export interface ReporterOptions {
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
