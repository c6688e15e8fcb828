import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createPace, type RequestEnd, type Release } from '../../../src/client/pace/pace.ts';
import { type Minute, parseMinute, type SharedMinute, type Report } from '../../../src/client/pace/minute.ts';
import { createMinuteFile } from '../../../src/client/pace/minute-file.ts';
import { createSharedGate } from '../../../src/client/pace/shared-gate.ts';
import { createVirtualTime, type VirtualTime } from '../virtual.ts';

export const window = 60_000;

export interface Process {
  readonly pid: number;
  /** Waits for a slot. */
  slot(): Release | Promise<Release>;
  hold(milliseconds: number): void;
  /** The milliseconds until its next slot, as a status line shows them. */
  waiting(): number | undefined;
  /** Reported waits, with reason and milliseconds. */
  readonly waits: string[];
  /** Reported failures of the file. */
  readonly failed: string[];
  /** The number of its turns at the file. */
  turns(): number;
}

export interface Machine {
  readonly time: VirtualTime;
  readonly folder: string;
  readonly path: string;
  /** Sets the clock of all processes. */
  reboot(now: number): void;
  start(kind: Report['kind'], limit: number, own?: { readonly perWindow: number; readonly window: number }): Process;
  kill(process: Process): void;
  book(): Minute;
}

const firstPid = 10_000_000;

/** Processes that share a folder, with a clock that moves only when they are idle. */
export async function createMachine(): Promise<Machine> {
  const home = mkdtempSync(join(tmpdir(), 'bizmsg-pace-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, 'pace');
  const time = createVirtualTime();
  const dead = new Set<number>();
  let [ahead, last] = [0, firstPid];
  const now = () => time.now() + ahead;
  const base = { folder, name: 'account', window, now, later: time.later, random: () => 0.5 };
  const kill = (pid: number) => pid > firstPid && pid <= last && !dead.has(pid);

  const start: Machine['start'] = (kind, limit, own) => {
    const pid = ++last;
    const [waits, failed]: [string[], string[]] = [[], []];
    const onDamaged = () => void failed.push('damaged');
    const ledger = counted(createMinuteFile({ ...base, owner: { pid, kill }, onDamaged }));
    const options = {
      minute: ledger,
      kind,
      limit,
      window,
      now,
      later: time.later,
      onWait: (milliseconds: number, why: string) => void waits.push(`${why} ${milliseconds}`),
      onFailure: (error: unknown) => void failed.push(String(error)),
    };
    const shared = (changed: () => void) => createSharedGate(options, changed);
    const pace = createPace({ ...own, now, later: time.later, shared });
    const { signal } = new AbortController();
    return {
      pid,
      slot: () => pace.slot(signal),
      hold: pace.hold,
      waiting: pace.waiting,
      waits,
      failed,
      turns: ledger.turns,
    };
  };
  // Creates the file first, which takes real time.
  const first = createMinuteFile({ ...base, owner: { pid: ++last, kill }, onDamaged: () => {} });
  await first.report({ kind: 'run', limit: 1, inUse: 0, finished: [], ended: undefined, heldUntil: 0, wanted: 0 });
  const path = join(folder, 'account');
  return {
    time,
    folder,
    path,
    start,
    reboot: (at) => {
      ahead = at - time.now();
    },
    kill: ({ pid }) => void dead.add(pid),
    book: () => {
      const book = parseMinute(readFileSync(path, 'utf8'));
      if (!book) throw new Error(`${readdirSync(folder).join()}: ${readFileSync(path, 'utf8')}`);
      return book;
    },
  };
}

function counted(ledger: SharedMinute): SharedMinute & { turns(): number } {
  let turns = 0;
  return {
    report: (share) => {
      turns += 1;
      return ledger.report(share);
    },
    turns: () => turns,
  };
}

export interface Service {
  /** Times of accepted requests, in order. */
  readonly taken: number[];
  /** Their processes. */
  readonly by: Process[];
  refused(): number;
  /** Sends a request, which waits for its slot and is counted when it arrives or when it ends. */
  request(process: Process, taken?: number): Promise<RequestEnd>;
}

/** A service with a strict sliding window, both ends included. */
export function createService({ time }: Machine, most: number, counts: 'first' | 'last' = 'last'): Service {
  const [taken, by]: [number[], Process[]] = [[], []];
  let refused = 0;
  const count = (process: Process): RequestEnd => {
    const before = taken.at(-most);
    if (before !== undefined && time.now() - before <= window) {
      refused += 1;
      return 'limited';
    }
    taken.push(time.now());
    by.push(process);
    return 'done';
  };
  const answer = async (process: Process, release: Release, milliseconds: number) => {
    const early = counts === 'first' ? count(process) : undefined;
    await new Promise<void>((resolve) => void time.later(milliseconds, resolve));
    const ended = early ?? count(process);
    if (ended === 'limited') process.hold(1_000);
    release(ended);
    return ended;
  };
  return {
    taken,
    by,
    refused: () => refused,
    request: async (process, milliseconds = 5) => answer(process, await process.slot(), milliseconds),
  };
}
