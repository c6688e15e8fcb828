import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RequestEnd } from '../../src/client/pace.ts';
import { CliError, type Done, type ExitName } from '../../src/base/errors.ts';
import { messageRow } from '../../src/ledger/identity.ts';
import { createInput } from '../../src/ledger/input.ts';
import { type Accepted, type Choice, fates, type Ledger, type RunPlan } from '../../src/ledger/ledger.ts';
import { openLedger as open } from '../../src/ledger/open.ts';
import { type EngineOptions, sendRows } from '../../src/runs/engine.ts';
import type { Outcome, Ready } from '../../src/runs/row.ts';
import type { Stopped } from '../../src/runs/stop.ts';
import { host as ledgerHost } from '../ledger/drivers.ts';
import { alive } from '../support/cli.ts';

export function stateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bizmsg-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Texts, each the content of one row and its recipient. */
export type Input = readonly string[];

export function numbered(count: number): Input {
  return Array.from({ length: count }, (_, at) => `row ${at + 1}`);
}

export interface OpenOptions {
  readonly pid?: number | undefined;
  readonly kill?: ((pid: number) => boolean) | undefined;
}

/** The ledger of a local sandbox. */
export function openLedger(folder: string, { pid = process.pid, kill = alive }: OpenOptions = {}): Promise<Ledger> {
  const host = { ...ledgerHost, pid, kill };
  return open({ stateFolder: folder, host, isLocal: true, isLive: false, note: () => {} });
}

interface Sending extends Partial<Omit<EngineOptions, 'exchange' | 'rows' | 'terms'>>, OpenOptions {
  /** The result of a sent row. */
  readonly send?: (content: string) => Promise<unknown>;
  /** Waits for a slot. Default: does not wait. */
  readonly slot?: (content: string, signal: AbortSignal | undefined) => Promise<void>;
  /** Whether the service answers an attempt with 429, so that it is repeated. Default: never. */
  readonly isLimited?: (content: string) => Promise<boolean>;
  /** Called when a slot is returned. */
  readonly onReturn?: (content: string, ended: RequestEnd) => void;
  readonly choice?: Choice;
  /** Rows to send. Default: the rows that are due. */
  readonly rows?: (due: readonly Ready[]) => EngineOptions['rows'];
  /** Replaces the ledger in a file. */
  readonly shared?: Ledger;
  /** Called before the first row is sent. */
  readonly onOpened?: (opened: Opened) => void;
}

interface Opened {
  readonly ledger: Ledger;
  readonly run: string;
}

export interface Part {
  readonly run: string;
  readonly accepted: Accepted;
  readonly stopped: Stopped | undefined;
  /** The content of sent rows, in order. */
  readonly sent: readonly string[];
  readonly outcomes: readonly Outcome[];
  /** The number of the run's rows by state in the ledger. A row that is neither was claimed and never ended. */
  readonly counts: { readonly done: number; readonly failed: number; readonly unsure: number; readonly left: number };
}

/** One command that continues a run, with the ledger in a file. */
export async function part(folder: string, input: Input, sending: Sending = {}): Promise<Part> {
  const {
    pid,
    kill,
    choice = {},
    send = async () => ({}),
    slot,
    isLimited,
    onReturn = () => {},
    rows,
    onOpened,
    shared,
    ...options
  } = sending;
  const ledger = shared ?? (await openLedger(folder, { pid, kill }));
  try {
    const plan = planOf(ledger, input, choice);
    const accepted = await ledger.register(plan);
    if (accepted.stop) throw new Error(`it stopped: ${accepted.stop.reason}`);
    const { run } = accepted;
    const [sent, outcomes]: [string[], Outcome[]] = [[], []];
    const due = dueIn(accepted, input, plan);
    onOpened?.({ ledger, run });
    const stopped = await sendRows({
      ledger,
      reachable: async () => true,
      concurrency: 4,
      signals: { stop: never, leave: never },
      clock: virtualClock(),
      wasAccepted: accepted.counts.done > 0,
      ...options,
      terms: { run, retryUnsure: choice.retryUnsure },
      rows: rows ? rows(due) : batchesOf(due),
      exchange(content) {
        const end = (ended: RequestEnd) => onReturn(content, ended);
        return {
          slot: (signal) => (slot ? slot(content, signal).then(() => end) : end),
          async send(returnSlot) {
            try {
              if (await isLimited?.(content)) return { outcome: 'again' };
              sent.push(content);
              return { outcome: 'done', answer: await send(content) };
            } catch (error) {
              if (error instanceof CliError) return { outcome: 'failed', error };
              throw error;
            } finally {
              returnSlot('done');
            }
          },
        };
      },
      onOutcome(outcome) {
        outcomes.push(outcome);
        return options.onOutcome?.(outcome);
      },
    });
    return { run, accepted, stopped, sent, outcomes, counts: await countsOf(ledger, run) };
  } finally {
    await ledger.close().catch(() => {});
  }
}

const never = new AbortController().signal;

function planOf({ secret }: Ledger, input: Input, choice: Choice): RunPlan {
  const rows = createInput();
  for (const to of input) rows.add(messageRow(secret, { template: 'welcome', to, params: [] }));
  const account = 'https://api.example.com';
  const about = { command: 'send-batch', typed: 'bizmsg', file: undefined, rows: input.length, invalid: 0 };
  return { account, mode: 'sandbox', kind: 'message', template: 'welcome', input: rows, choice, about };
}

/** A header line comes before the rows. */
function dueIn({ fates: codes, items }: Accepted, input: Input, plan: RunPlan): readonly Ready[] {
  return ['due', 'retry'].flatMap((fate) =>
    input.flatMap((content, at) => {
      if (fates[codes[at] ?? 0] !== fate) return [];
      return [{ number: at + 1, line: at + 2, content, item: items[at] ?? 0, text: plan.input.read(at).subarray(24) }];
    }),
  );
}

export async function* batchesOf(due: readonly Ready[], size = 25): AsyncGenerator<readonly Ready[]> {
  for (let at = 0; at < due.length; at += size) yield due.slice(at, at + size);
}

async function countsOf(ledger: Pick<Ledger, 'runs'>, run: string): Promise<Part['counts']> {
  const counts = (await ledger.runs()).find(({ id }) => id === run)?.counts;
  const { done = 0, failed = 0, unsure = 0, planned = 0, released = 0 } = counts ?? {};
  return { done, failed, unsure, left: planned + released };
}

/** The numbers of the rows with this outcome. */
export function numbersOf({ outcomes }: Pick<Part, 'outcomes'>, outcome: Outcome['outcome']): readonly number[] {
  const numbers = outcomes.flatMap((one) => (one.outcome === outcome ? [one.row.number] : []));
  return numbers.toSorted((a, b) => a - b);
}

export function failure(exit: ExitName, done?: Done, status?: number, message = `${exit} it is`): CliError {
  return new CliError(exit, 'rejected', message, { done, status });
}

export const rejected = () => failure('rejected', 'no', 400);
export const fault = () => failure('unsure', 'unknown', 500);
export const lost = () => failure('unsure', 'unknown');
export const unreachable = () => failure('network', 'no');

/** The possible outcomes of a request that is not accepted. */
export const errors = {
  failed: rejected,
  unsure: fault,
  lost,
  unreached: unreachable,
  barred: () => failure('rateLimited', 'no', 429),
} as const;

/** Fails these rows. */
export function answering(answers: Readonly<Record<string, () => CliError>>) {
  return async (content: string) => {
    const error = answers[content];
    if (error) throw error();
  };
}

/** A clock that advances when everything waits. */
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
  // Yields several turns, so that everything else finishes.
  const arm = () => {
    if (isSet) return;
    isSet = true;
    let turns = 6;
    const turn = () => void (--turns > 0 ? setImmediate(turn) : go());
    setImmediate(turn);
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
