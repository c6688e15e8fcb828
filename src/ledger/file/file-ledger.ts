import { randomBytes } from 'node:crypto';
import { fdatasync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CliError, configuration } from '../../base/errors.ts';
import { fsError, createStateFolder } from '../../base/files.ts';
import { startHeartbeat, isProcessAlive, processStart } from '../../base/liveness.ts';
import type { Later } from '../../base/host.ts';
import { unwritable } from '../../base/journal.ts';
import type { LockOwner } from '../../base/lock.ts';
import { type Change, createBook, type KnownOwner } from '../book.ts';
import { checkOf, secretIn } from '../identity.ts';
import type { Forgotten, Ledger, Settled } from '../ledger.ts';
import { createMemoryLedger } from '../memory.ts';
import { BadChange } from '../places.ts';
import { openRunIndex, type RunEntry } from './runs.ts';
import { createSegments, hasSegments } from './segments.ts';
import { BadTable } from './table.ts';
import { createTurn } from './turn.ts';

export interface FileLedgerOptions {
  /** The folder `ledger` of the state folder. */
  readonly folder: string;
  readonly owner: LockOwner;
  readonly now: () => number;
  readonly later: Later;
  readonly random: () => number;
  /** Nothing but a sandbox on this machine receives the rows: they need not survive a power cut. */
  readonly isLocal: boolean;
  /** Called after a line that a crash had cut off was removed. */
  readonly onRepaired: (path: string, bytes: number) => void;
  /** Ends the wait for other processes as long as this one has nothing to record. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the process that uses the ledger once this one has waited for it for some seconds. */
  readonly onWait?: ((holder: string) => void) | undefined;
  /** Default: `fdatasync`. */
  readonly sync?: (fd: number) => Promise<void>;
}

/** All promises of one process resolve in the order of the calls. */
export interface FileLedger extends Ledger {
  /** Keys the digests of rows; in hexadecimal. */
  readonly secret: string;
  /** Writes a run's entry in the index that `listRuns` reads. Entries of one moment are written together. */
  putEntry(entry: RunEntry): Promise<void>;
  /** Records the last outcomes, and ends. */
  close(last?: readonly Settled[]): Promise<void>;
}

const toDisk = promisify(fdatasync);

export function hasLedger(folder: string): boolean {
  return hasSegments(folder);
}

/** A ledger that knows nothing and writes nothing, for a dry run on a machine without one. */
export function emptyLedger(options: FileLedgerOptions): FileLedger {
  const memory = createMemoryLedger({ ...ownFacts(options), isAlive: () => false });
  return { ...memory, secret: randomBytes(32).toString('hex'), putEntry: async () => {}, close: async () => {} };
}

function ownFacts({ owner: { pid }, now }: FileLedgerOptions) {
  return { pid, start: processStart(pid), now, newId: () => randomBytes(6).toString('hex') };
}

/** A call that waits for the turn. */
interface Call {
  /** In the turn, before the changes of all calls are written together. */
  decide(): void;
  /** After that. */
  finish(): void;
  fail(error: unknown): void;
}

export function openFileLedger(options: FileLedgerOptions): FileLedger {
  const { owner, now, isLocal, sync = toDisk } = options;
  const folder = createStateFolder(options.folder);
  const secret = secretIn(folder, hasSegments(folder));
  const book = createBook();
  const isAlive = (other: KnownOwner) =>
    isProcessAlive(other.pid, other.start, owner.kill, () => silenceOf(folder, other, now()));
  const segments = createSegments({ ...options, folder, book, isAlive, check: checkOf(secret) });
  const turn = createTurn({ ...options, path: join(folder, 'turn') });
  const index = openRunIndex({ ...options, folder });
  const heartbeats = new Map<string, () => void>();
  const memory = createMemoryLedger({
    ...ownFacts(options),
    book,
    isAlive,
    record: (changes) => void recorded.push(...changes),
  });
  const calls: Call[] = [];
  /** Changes of this turn that are not written yet. */
  const recorded: Change[] = [];
  const waitingEntries = new Map<string, RunEntry>();
  let putting: Promise<void> | undefined;
  /** The ledger may hold less than this process believes: nothing is granted any more. */
  let fault: unknown;
  let syncing: Promise<void> | undefined;
  let [isWorking, isDirty, isUsed] = [false, false, false];
  let closing: Promise<void> | undefined;

  return {
    secret,
    register: (plan) => safely(() => memory.register(plan)),
    claim: (rows, terms) => safely(() => memory.claim(rows, terms)),
    settle: (outcomes) => inTurn(() => memory.settle(outcomes)),
    withdraw: (rows) => inTurn(() => memory.withdraw(rows)),
    endRun: (run) => inTurn(() => memory.endRun(run)),
    look: (row, terms) => inTurn(() => memory.look(row, terms)),
    runs: () => inTurn(() => memory.runs()),
    resolve: (run, found, rows) => safely(() => memory.resolve(run, found, rows)),
    closeRun: (run) => safely(() => memory.closeRun(run)),
    forget: (what) => safely(() => forget(what), 'run' in what ? () => index.remove(what.run) : nothing),
    putEntry(entry) {
      waitingEntries.set(entry.run, entry);
      return (putting ??= inTurn(nothing, putEntries).finally(() => (putting = undefined)));
    },
    close: (last = []) =>
      (closing ??= last.length > 0 || (fault === undefined && isUsed) ? end(last) : Promise.resolve(stop())),
  };

  /** Resolves once the disk has it: only then may anything be sent. */
  async function safely<T>(decide: () => T, finish?: () => void): Promise<T> {
    const result = await inTurn(decide, finish);
    if (!isLocal) await synced();
    return result;
  }

  function inTurn<T>(decide: () => T, finish: () => void = nothing): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: () => T;
      const fail = (error: unknown) => reject(faultIn(error));
      calls.push({
        decide: () => void (result = attempt(decide)),
        finish() {
          try {
            const decided = result();
            finish();
            resolve(decided);
          } catch (error) {
            fail(error);
          }
        },
        fail,
      });
      if (!isWorking) void work();
    });
  }

  /** Calls that come before the turn does share it, and one write. */
  async function work(): Promise<void> {
    isWorking = true;
    while (calls.length > 0) {
      let current = calls;
      try {
        if (fault !== undefined) throw fault;
        const isNew = await turn.take();
        isUsed = true;
        if (isNew) fatal(() => segments.refresh());
        current = calls.splice(0);
        decide(current);
        fatal(write);
        for (const { finish } of current) finish();
      } catch (error) {
        if (segments.isRemoved()) fault = removed(folder);
        for (const { fail } of current.splice(0)) fail(fault ?? error);
      } finally {
        turn.pass(fault === undefined);
      }
    }
    isWorking = false;
  }

  /** Once more after the segments were read, if the table turns out to be damaged. */
  function decide(current: readonly Call[]): void {
    try {
      for (const call of current) call.decide();
    } catch (error) {
      if (!(error instanceof BadTable)) throw error;
      recorded.length = 0;
      fatal(() => segments.restart());
      for (const call of current) call.decide();
    }
  }

  function attempt<T>(act: () => T): () => T {
    try {
      const result = act();
      return () => result;
    } catch (error) {
      if (error instanceof BadTable) throw error;
      // Some of its changes may have been applied to the book.
      if (error instanceof BadChange) fault = error;
      return () => {
        throw error;
      };
    }
  }

  function faultIn(error: unknown): unknown {
    // A process that has lost its turn once may be one that the others think dead.
    if (error instanceof CliError && error.code === 'journal-taken') fault = error;
    return !(error instanceof CliError) && fsError(error) ? unwritable(folder, error) : error;
  }

  function write(): void {
    if (fault !== undefined) throw fault;
    // Even if it only read: what it read may be old.
    turn.refuseLost();
    if (recorded.length === 0) return;
    const changes = recorded.splice(0);
    for (const change of changes) if (change.type === 'owner') beginHeartbeat(change.owner);
    segments.append(changes);
    isDirty = true;
    for (const change of changes) if (change.type === 'died') removeHeartbeat(change.owner);
  }

  function putEntries(): void {
    const entries = [...waitingEntries.values()];
    waitingEntries.clear();
    putting = undefined;
    index.put(entries);
  }

  /** The index may have a run that the ledger no longer knows: it has expired, or this was interrupted before. */
  function forget(what: Forgotten): void {
    const run = 'run' in what ? book.run(what.run) : undefined;
    const isLeftOver = 'run' in what && (!run || run.isForgotten) && index.has(what.run);
    if (!isLeftOver) memory.forget(what);
  }

  function fatal(act: () => void): void {
    try {
      act();
    } catch (error) {
      fault ??= error;
      throw error;
    }
  }

  /** Calls that wait together share one sync. */
  async function synced(): Promise<void> {
    await syncing;
    if (isDirty) syncing ??= syncFile();
    await syncing;
    if (fault !== undefined) throw fault;
  }

  async function syncFile(): Promise<void> {
    isDirty = false;
    const file = segments.current();
    try {
      if (file) await sync(file.fd());
    } catch (error) {
      fault = unwritable(file?.path ?? folder, error);
    }
    syncing = undefined;
  }

  async function end(last: readonly Settled[]): Promise<void> {
    try {
      await safely(
        () => memory.close(last),
        () => segments.save(),
      );
    } finally {
      stop();
    }
  }

  function stop(): void {
    for (const id of heartbeats.keys()) removeHeartbeat(id);
    segments.close();
    index.close();
    turn.pass(false);
  }

  function beginHeartbeat(id: string): void {
    const path = heartbeatOf(folder, id);
    const write = () => writeFileSync(path, ' ', { mode: 0o600 });
    write();
    heartbeats.set(id, startHeartbeat(path, options.later, write));
  }

  function removeHeartbeat(id: string): void {
    heartbeats.get(id)?.();
    heartbeats.delete(id);
    try {
      rmSync(heartbeatOf(folder, id), { force: true });
    } catch (error) {
      // It is removed later, as after a crash.
      if (!fsError(error)) throw error;
    }
  }
}

function removed(folder: string): CliError {
  const hint = 'bizmsg no longer knows what was sent: the same command sends all rows again';
  return configuration('ledger-removed', `${folder} was removed while this command used it`, hint);
}

/** Milliseconds since a process has written to the ledger, or to its heartbeat file. */
function silenceOf(folder: string, { id, at }: KnownOwner, now: number): number {
  const beat = statSync(heartbeatOf(folder, id), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.min(now - at, now - beat);
}

function heartbeatOf(folder: string, id: string): string {
  return join(folder, `${id}.owner`);
}

function nothing(): void {}
