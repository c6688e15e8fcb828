import * as fs from 'node:fs';
import { join } from 'node:path';
import { namesIn, stateFolderAt } from '../folder.ts';
import { configuration } from '../errors.ts';
import { fileFault } from '../file-fault.ts';
import { openRegular, readRegular } from '../regular-file.ts';
import type { Hidden } from './written.ts';
import { written } from './written.ts';

/** Beyond it the next file is begun. */
const largest = 4 * 1024 * 1024;
/** 64 MB: the last hundred thousand calls, at least. */
const mostFiles = 16;
const appending = fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_CREAT;

export interface LogFile {
  readonly number: number;
  readonly path: string;
}

export interface Appender {
  readonly path: string;
  /** Adds it in one go, so that lines of several processes never mix. */
  append(record: object): void;
  /** Has the disk take it. */
  sync(): void;
  close(): void;
}

export function activityFolder(stateFolder: string): string {
  return join(stateFolder, 'activity');
}

/** The newest first. */
export function logFiles(folder: string): readonly LogFile[] {
  const numbers = namesIn(folder).flatMap((name) => /^([1-9]\d*)\.ndjson$/.exec(name)?.[1] ?? []);
  return numbers
    .map(Number)
    .sort((a, b) => b - a)
    .map((number) => fileAt(folder, number));
}

/** None of one that was removed since it was found. */
export function bytesOf({ path }: Pick<LogFile, 'path'>): Buffer {
  try {
    return readRegular(path);
  } catch (error) {
    const fault = fileFault(error);
    if (fault?.code === 'ENOENT') return Buffer.alloc(0);
    if (!fault) throw error;
    const hint = 'move it away: what it says of calls before is then not known';
    throw configuration('state-unreadable', `cannot read ${path}: ${fault.reason}`, hint, error);
  }
}

/** For any number of processes at once. A line that a full disk cut short does not spoil the one after it. */
export function openAppender(folder: string, hidden: Hidden): Appender {
  const { path, fd } = openNewest(folder);
  const safe = written(hidden);
  return {
    path,
    append: (record) => {
      const bytes = Buffer.from(`${isWhole(fd) ? '' : '\n'}${JSON.stringify(record, safe)}\n`);
      let done = 0;
      // A disk that is nearly full takes a part, and says why when it is offered the rest.
      while (done < bytes.length) done += fs.writeSync(fd, bytes, done);
    },
    sync: () => fs.fdatasyncSync(fd),
    close: () => fs.closeSync(fd),
  };
}

function openNewest(folder: string): { readonly path: string; readonly fd: number } {
  const newest = logFiles(folder)[0] ?? fileAt(folder, 1);
  const fd = openAt(newest.path, folder);
  if (fs.fstatSync(fd).size < largest) return { path: newest.path, fd };
  fs.closeSync(fd);
  const next = fileAt(folder, newest.number + 1);
  const opened = openAt(next.path, folder);
  for (const { path } of logFiles(folder).slice(mostFiles)) fs.rmSync(path, { force: true });
  return { path: next.path, fd: opened };
}

function openAt(path: string, folder: string): number {
  try {
    return openRegular(path, appending);
  } catch (error) {
    if (fileFault(error)?.code !== 'ENOENT') throw error;
    return openRegular(join(stateFolderAt(folder), path.slice(folder.length)), appending);
  }
}

/** Whether the next line begins where one ends. */
function isWhole(fd: number): boolean {
  const { size } = fs.fstatSync(fd);
  const last = Buffer.alloc(1);
  return size === 0 || fs.readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === 0x0a;
}

function fileAt(folder: string, number: number): LogFile {
  return { number, path: join(folder, `${number}.ndjson`) };
}
