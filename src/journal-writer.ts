import { closeSync, fdatasync, fstatSync, ftruncateSync } from 'node:fs';
import { promisify } from 'node:util';
import { unwritable, writeWhole } from './journal-file.ts';

/** Runs it after so many milliseconds; what is returned calls it off. */
export type Later = (milliseconds: number, run: () => void) => () => void;

export interface Writer {
  write(line: string): void;
  synced(): Promise<void>;
  isThere(): boolean;
  close(): Promise<void>;
}

const syncEvery = 200;
const toDisk = promisify(fdatasync);

/** Adds lines to an open file, each whole or not at all, and has the disk take them in the background. */
export function createWriter(path: string, fd: number, start: number, later: Later): Writer {
  let [end, isDirty] = [start, false];
  /** After it nobody knows what the file holds, or what of it the disk has. */
  let fault: Error | undefined;
  let syncing: Promise<void> | undefined;
  let callOff = () => {};
  return {
    write(line) {
      if (fault) throw fault;
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
