import type { CliError } from '../errors.ts';
import { exitCodes } from '../errors.ts';
import type { Output } from '../host.ts';
import { safeJson, safeLine, safeLines } from '../terminal/safe-text.ts';

export interface Reporter {
  note(code: string, message: string): void;
  error(failure: CliError): void;
  /** A line of the trace. */
  trace(line: string): void;
  /** Keeps this text out of everything that leaves from now on. */
  hide(secret: string): void;
  clean(text: string): string;
}

export interface ReporterOptions {
  readonly stderr: Output;
  readonly json: boolean;
  readonly redact: (text: string, secrets: Iterable<string>) => string;
}

/** Notes and errors: text for people, an object a line for programs. */
export function createReporter({ stderr, json, redact }: ReporterOptions): Reporter {
  const secrets = new Set<string>();
  const write = (text: string) => void stderr.write(`${redact(text, secrets)}\n`);
  const object = (value: object) => write(stderr.isTTY ? safeJson(JSON.stringify(value)) : JSON.stringify(value));
  return {
    note: (code, message) => (json ? object({ note: { code, message } }) : write(`note: ${safeLine(message)}`)),
    error: (failure) => (json ? object({ error: described(failure) }) : write(readable(failure))),
    trace: (line) => (json ? object({ note: { code: 'trace', message: line } }) : write(safeLines(line))),
    // As JSON writes it, too.
    hide: (secret) => void secrets.add(secret).add(JSON.stringify(secret).slice(1, -1)),
    clean: (text) =>
      [...secrets].reduce((cleaned, secret) => cleaned.replaceAll(secret, redact(secret, [secret])), text),
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
