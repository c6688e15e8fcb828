import { closeSync, fdatasync, fstatSync, ftruncateSync } from 'node:fs';
import { promisify } from 'node:util';
import { unsafe } from './errors.ts';
import { unwritable, writeWhole } from './journal-file.ts';

/** Runs it after so many milliseconds; what is returned calls it off. */
export type Later = (milliseconds: number, run: () => void) => () => void;

export interface Writer {
  /** Throws if another process has taken the file over; checks now, whenever it last did. */
  refuseTaken(): void;
  write(line: string): void;
  synced(): Promise<void>;
  isThere(): boolean;
  close(): Promise<void>;
}

const syncEvery = 200;
const toDisk = promisify(fdatasync);

export interface WriterOptions {
  readonly path: string;
  readonly fd: number;
  /** The byte at which the file ends. */
  readonly end: number;
  readonly later: Later;
  /** Whether this process still owns the file. */
  readonly isOurs: () => boolean;
  /** Milliseconds of a clock that goes on while this process is stopped. */
  readonly now: () => number;
}

/** Appends lines to an open file, each whole or not at all, and syncs them in the background. */
export function createWriter({ path, fd, end: start, later, isOurs, now }: WriterOptions): Writer {
  let [end, isDirty] = [start, false];
  /** After it nobody knows what the file holds, or what of it the disk has. */
  let fault: Error | undefined;
  let syncing: Promise<void> | undefined;
  let callOff = () => {};
  let checkedAt: number | undefined;
  return {
    refuseTaken,
    write(line) {
      if (fault) throw fault;
      refuseTakenNowAndThen();
      try {
        end += writeWhole(fd, line, end);
      } catch (error) {
        throw takenBack(unwritable(path, error));
      }
      if (!isDirty && !syncing) callOff = later(syncEvery, sync);
      isDirty = true;
    },
    isThere: () => fstatSync(fd).nlink > 0,
    async synced() {
      await settle();
      if (fault) throw fault;
    },
    async close() {
      await settle();
      closeSync(fd);
      if (fault) throw fault;
    },
  };

  function refuseTaken(): void {
    if (fstatSync(fd).size > end || !isOurs()) throw (fault = taken(path));
  }

  /**
   * Checks once per millisecond: for every line it would cost half as much as writing. Only a process that stood still for
   * long can lose its file, and then the clock has moved.
   */
  function refuseTakenNowAndThen(): void {
    const at = now();
    if (at === checkedAt) return;
    refuseTaken();
    checkedAt = at;
  }

  async function settle(): Promise<void> {
    await syncing;
    callOff();
    if (isDirty) sync();
    await syncing;
  }

  function sync(): void {
    isDirty = false;
    syncing = bring();
  }

  async function bring(): Promise<void> {
    try {
      await toDisk(fd);
    } catch (error) {
      fault = unwritable(path, error);
      return;
    }
    syncing = undefined;
    if (isDirty) callOff = later(syncEvery, sync);
  }

  function takenBack(refusal: Error): Error {
    try {
      ftruncateSync(fd, end);
    } catch {
      fault = refusal;
    }
    return refusal;
  }
}

/** A process that was stopped for long may have lost its file to another one, whose lines it must not overwrite. */
function taken(path: string): Error {
  const hint = 'this process has stopped writing; run the same command again once the other one has ended';
  return unsafe('journal-taken', `another process writes this journal: ${path}`, hint);
}
