import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { configuration } from '../../base/errors.ts';
import { namesIn, openRegular, createStateFolder } from '../../base/files.ts';
import type { Later } from '../../base/host.ts';
import { isElsewhere, isProcessAlive, processStart } from '../../base/liveness.ts';
import type { LockOwner } from '../../base/lock.ts';
import { sleep } from '../../base/sleep.ts';
import {
  type Minute,
  parseMinute,
  minuteText,
  emptyMinute,
  type Grant,
  type SharedMinute,
  type Member,
  expire,
  grantSlots,
  type Report,
  type MemberId,
} from './minute.ts';
import { margin } from './pace.ts';

interface MinuteFileOptions {
  readonly folder: string;
  /** File name; processes with the same name share the minute. */
  readonly name: string;
  /** Milliseconds. */
  readonly window: number;
  readonly owner: LockOwner;
  /** Milliseconds of a monotonic clock that all processes of this machine share. */
  readonly now: () => number;
  readonly later: Later;
  readonly random: () => number;
  /** Called if the file is damaged and gets replaced. */
  readonly onDamaged: () => void;
}

/** Milliseconds to wait for the lock: a turn takes less than one, but its process may be stopped. */
const longestWait = 5_000;
/** Milliseconds between two attempts. */
const longestPause = 8;
/** One attempt in this many also checks whether the owner is alive. */
const fullCheckEvery = 8;

/** Shares a minute through a small file, which each process locks for a fraction of a millisecond. */
export function createMinuteFile(options: MinuteFileOptions): SharedMinute {
  const { folder, name, owner, now } = options;
  const start = processStart(owner.pid);
  const holder = `${owner.pid}.${start ?? ''}`;
  const lock = createRenameLock({ folder, name, owner, holder });
  const member = { id: `${holder}.${now()}`, pid: owner.pid, start };
  return {
    report: (report) => {
      const path = lock.take();
      if (path !== undefined) return runTurn(path, lock, options, { member, report });
      return waitFor(lock, options).then((late) => runTurn(late, lock, options, { member, report }));
    },
  };
}

/** Retries after random pauses, so that no process is always late. */
async function waitFor(lock: RenameLock, { folder, name, now, later, random }: MinuteFileOptions): Promise<string> {
  const created = await lock.create();
  if (created !== undefined) return created;
  const deadline = now() + longestWait;
  for (let attempt = 1; now() < deadline; attempt += 1) {
    await sleep(1 + random() * (longestPause - 1), later);
    const path = attempt % fullCheckEvery === 0 ? lock.take() : lock.tryTake();
    if (path !== undefined) return path;
  }
  throw configuration('pace-held', `another process holds ${join(folder, name)}`);
}

interface Turn {
  readonly member: MemberId;
  readonly report: Report;
}

function runTurn(path: string, lock: RenameLock, options: MinuteFileOptions, { member, report }: Turn): Grant {
  try {
    const { window, owner, now, onDamaged } = options;
    const [time, span] = [now(), window + margin];
    const isAlive = ({ pid, start, seen }: Member) => isProcessAlive(pid, start, owner.kill, () => time - seen);
    return change(path, onDamaged, (found) => {
      const current = expire(found, { time, window, span, isAlive });
      return grantSlots(current, { member, report, time, window, span });
    });
  } finally {
    lock.release();
  }
}

type Change = (minute: Minute) => ReturnType<typeof grantSlots>;

/**
 * Changes the file in place, because replacing it costs ten times as much. A single write also overwrites the rest of a
 * longer text with line feeds, so a kill leaves the old state or the new one.
 */
function change(path: string, onDamaged: () => void, make: Change): Grant {
  const fd = openRegular(path, constants.O_RDWR);
  try {
    const before = readFileSync(fd, 'utf8');
    const { minute, granted } = make(read(before, onDamaged));
    const after = minuteText(minute);
    writeSync(fd, after.padEnd(before.length, '\n'), 0);
    if (after.length < before.length) ftruncateSync(fd, after.length);
    return granted;
  } finally {
    closeSync(fd);
  }
}

function read(text: string, onDamaged: () => void): Minute {
  // The process that created the file may have been killed before it wrote.
  if (text === '') return emptyMinute;
  const minute = parseMinute(text);
  if (!minute) onDamaged();
  return minute ?? emptyMinute;
}

/**
 * Locks a file by renaming it, which only one process can do and which costs almost nothing. The new name identifies the
 * owner, in case that process is killed.
 */
interface RenameLock {
  /** Returns the path of the locked file, also if a dead process had it; undefined while another process has it. */
  take(): string | undefined;
  /** Returns the path of the locked file; undefined unless it is free. */
  tryTake(): string | undefined;
  /** Creates the file locked; undefined if it exists. */
  create(): Promise<string | undefined>;
  /** Does nothing if a process in another container took the lock while this one was stopped. */
  release(): void;
}

/** Milliseconds after which a lock from another container is abandoned: a turn takes less than one. */
const longestTurn = 3_000;
/** Milliseconds after which an unchanged file is removed. */
const kept = 86_400_000;

interface LockOptions extends Pick<MinuteFileOptions, 'folder' | 'name' | 'owner'> {
  /** Names the owner. */
  readonly holder: string;
}

function createRenameLock({ folder, name, owner, holder }: LockOptions): RenameLock {
  const free = join(folder, name);
  const mine = `${free}.${holder}`;
  const take = () => {
    if (rename(free, mine)) return mine;
    const found = namesIn(folder).find((other) => other.startsWith(`${name}.`));
    return found !== undefined && isAbandoned(folder, found, owner) && rename(join(folder, found), mine)
      ? mine
      : undefined;
  };
  const tryTake = () => (existsSync(free) && rename(free, mine) ? mine : undefined);
  const create = async () => ((await createOnce({ folder, name, mine, owner })) ? mine : undefined);
  return { take, tryTake, create, release: () => void rename(mine, free) };
}

function rename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Whether the owner is dead. An owner in another container counts as dead if it keeps the lock for too long. */
function isAbandoned(folder: string, name: string, { kill }: LockOwner): boolean {
  const [, pid, start] = /^[0-9a-z]+\.(\d+)\.(.*)$/.exec(name) ?? [];
  if (pid === undefined) return false;
  if (isElsewhere(start)) return takenFor(join(folder, name)) > longestTurn;
  return !isProcessAlive(Number(pid), start === '' ? undefined : start, kill);
}

/** Milliseconds since the file was renamed. */
function takenFor(path: string): number {
  const renamed = statSync(path, { throwIfNoEntry: false })?.ctimeMs;
  return renamed === undefined ? 0 : Date.now() - renamed;
}

interface Missing {
  readonly folder: string;
  readonly name: string;
  readonly mine: string;
  readonly owner: LockOwner;
}

/** Creates the file; of several processes that try at the same time, only one does. */
async function createOnce({ folder, name, mine, owner }: Missing): Promise<boolean> {
  const isThere = (names: readonly string[]) => names.some((other) => other === name || other.startsWith(`${name}.`));
  if (isThere(namesIn(folder))) return false;
  const { acquire } = await import('../../base/lock.ts');
  const claim = acquire(join(createStateFolder(folder), `new-${name}`), owner);
  if (!claim.held) return false;
  try {
    const names = namesIn(folder);
    if (isThere(names)) return false;
    sweep(names.map((other) => join(folder, other)));
    writeFileSync(mine, '', { mode: 0o600, flag: 'wx' });
    return true;
  } finally {
    claim.release();
  }
}

/** Removes old files of other keys and dead processes, judged by the clock of the file system. */
function sweep(files: readonly string[]): void {
  const times = new Map(files.map((file) => [file, statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity]));
  const newest = Math.max(...[...times.values()].filter(Number.isFinite));
  for (const [file, time] of times) if (time < newest - kept) rmSync(file, { force: true });
}
