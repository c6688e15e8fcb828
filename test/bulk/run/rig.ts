import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Prepared } from '../../../src/bulk/row.ts';
import type { OpenRun } from '../../../src/bulk/run/open-run.ts';
import type { OpenRunOptions } from '../../../src/bulk/run/open.ts';
import { openRun } from '../../../src/bulk/run/open.ts';
import type { Outcome } from '../../../src/bulk/run/report.ts';
import type { RunRowsOptions } from '../../../src/bulk/run/run-rows.ts';
import { runRows } from '../../../src/bulk/run/run-rows.ts';
import type { Summary } from '../../../src/bulk/run/summary.ts';
import type { Done, ExitName } from '../../../src/errors.ts';
import { CliError } from '../../../src/errors.ts';

export const alive = (pid: number) => pid === process.pid;

export function stateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bizmsg-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Texts that become the contents of rows; one that begins with `!` is a reason why it cannot be sent. */
export type Input = readonly string[];

export function numbered(count: number): Input {
  return Array.from({ length: count }, (_, at) => `row ${at + 1}`);
}

export async function* rowsOf(input: Input, size = 25): AsyncGenerator<readonly Prepared[]> {
  for (let at = 0; at < input.length; at += size) {
    yield input.slice(at, at + size).map((text, index) => rowOf(text, at + index + 1));
  }
}

/** A header line stands before the rows. */
function rowOf(text: string, number: number): Prepared {
  const place = { number, line: number + 1, raw: [text] };
  return text.startsWith('!') ? { ...place, reason: text.slice(1) } : { ...place, fields: {}, content: text };
}

interface Opening extends Partial<Omit<OpenRunOptions, 'flags' | 'identity'>> {
  readonly identity?: Partial<OpenRunOptions['identity']>;
  readonly flags?: Partial<OpenRunOptions['flags']>;
}

export function options(folder: string, input: Input, { identity, flags, ...rest }: Opening = {}): OpenRunOptions {
  const content = createHash('sha256').update(input.join('\n')).digest('hex');
  return {
    stateFolder: folder,
    identity: {
      kind: 'import',
      content,
      file: '/data/people.csv',
      mapping: 'phone=a',
      address: 'http://127.0.0.1:1',
      mode: 'sandbox',
      keyDigest: 'abcd',
      ...identity,
    },
    shown: { path: 'people.csv', flags: ['--map', 'phone=a'], key: 'sk_test_…1234' },
    rows: input.length,
    flags: { resume: false, newKey: false, restart: false, allowRepeat: false, allowUnsure: false, ...flags },
    read: () => rowsOf(input),
    failedFile: () => undefined,
    writerOf: () => undefined,
    now: () => 1_000,
    later: () => () => {},
    pid: process.pid,
    kill: alive,
    ...rest,
  };
}

export async function open(folder: string, input: Input, opening: Opening = {}): Promise<OpenRun> {
  const run = await openRun(options(folder, input, opening));
  if (run.action !== 'tell') return run;
  await run.close();
  throw new Error('it is finished');
}

interface Sending extends Partial<Omit<RunRowsOptions, 'run' | 'send'>> {
  /** What becomes of a row that has left. */
  readonly send?: (content: string) => Promise<unknown>;
  /** What it waits for before that; nothing if not given. */
  readonly slot?: (content: string, leaving: () => Promise<void> | undefined) => Promise<void>;
}

const never = new AbortController().signal;

export function send(
  run: OpenRun,
  input: Input,
  { send: service = async () => ({}), slot, ...sending }: Sending = {},
): Promise<Summary> {
  return runRows({
    run,
    rows: rowsOf(input),
    reachable: async () => true,
    concurrency: 4,
    signals: { stop: never, leave: never },
    clock: virtualClock(),
    ...sending,
    send: slot ? (content, leaving) => slot(content, leaving).then(() => service(content)) : atOnce(service),
  });
}

function atOnce(service: (content: string) => Promise<unknown>): RunRowsOptions['send'] {
  return async (content, leaving) => {
    const ready = leaving();
    if (ready) await ready;
    return service(content);
  };
}

/** A part of a run from its opening to its end; what was sent, in order, comes with its numbers. */
export async function part(
  folder: string,
  input: Input,
  { opening = {}, ...sending }: Sending & { opening?: Opening },
) {
  const run = await open(folder, input, opening);
  const [sent, outcomes]: [string[], Outcome[]] = [[], []];
  const service = sending.send ?? (async () => ({}));
  try {
    const summary = await send(run, input, {
      ...sending,
      send: (content) => {
        sent.push(content);
        return service(content);
      },
      onOutcome: (outcome) => void outcomes.push(outcome),
    });
    return { summary, sent, outcomes, run };
  } finally {
    await run.close();
  }
}

export const resume = { flags: { resume: true } } as const;

export function failure(exit: ExitName, done?: Done, status?: number, message = `${exit} it is`): CliError {
  return new CliError(exit, `code-${exit}`, message, { done, status });
}

export const rejected = () => failure('rejected', 'no', 400);
export const fault = () => failure('unsure', 'unknown', 500);
export const lost = () => failure('unsure', 'unknown');
export const unreachable = () => failure('network', 'no');

/** Time that passes as soon as everybody waits for it. */
export function virtualClock() {
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  let [time, isSet] = [1_000, false];
  const go = () => {
    isSet = false;
    const [next] = [...timers].sort((a, b) => a.at - b.at);
    if (!next) return;
    timers.delete(next);
    time = Math.max(time, next.at);
    next.run();
    arm();
  };
  // The turns between let all that goes on come to rest.
  const arm = () => {
    if (isSet) return;
    isSet = true;
    setImmediate(() => setImmediate(() => setImmediate(go)));
  };
  return {
    now: () => time,
    steady: () => time,
    later(milliseconds: number, run: () => void) {
      const timer = { at: time + milliseconds, run };
      timers.add(timer);
      arm();
      return () => void timers.delete(timer);
    },
  };
}
