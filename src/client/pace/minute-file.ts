import type { Later } from '../../base/host.ts';
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
import { isElsewhere, isProcessAlive, processStart } from '../../base/liveness.ts';
import type { Owner } from '../../base/lock.ts';
import {
  type Book,
  bookIn,
  bookText,
  emptyBook,
  type Granted,
  type Ledger,
  type Party,
  refresh,
  settle,
  type Share,
  type Who,
} from './minute.ts';

interface FileLedgerOptions {
  readonly folder: string;
  /** Of the file; all who give the same share it. */
  readonly name: string;
  /** In milliseconds. */
  readonly window: number;
  readonly owner: Owner;
  /** Milliseconds of a clock that all processes of this machine share, and that is never set back. */
  readonly now: () => number;
  readonly later: Later;
  readonly random: () => number;
  /** Told when the file could not be understood, and is begun anew. */
  readonly onDamaged: () => void;
}

/** Milliseconds that a turn is waited for: it takes less than one, but whoever has it may have been stopped. */
const patience = 5_000;
/** Milliseconds between two looks whether it is over, at the most. */
const longestPause = 8;
/** One look in so many also asks whether its owner lives. */
const looks = 8;

/** A small file that is read and changed in turns, each a fraction of a millisecond. */
export function createFileLedger(options: FileLedgerOptions): Ledger {
  const { folder, name, owner, now } = options;
  const token = createToken(folder, name, owner);
  const start = processStart(owner.pid);
  const who = { id: `${owner.pid}.${start ?? ''}.${now()}`, pid: owner.pid, start };
  return {
    now,
    turn: (share) => {
      const path = token.take();
      if (path !== undefined) return turnIn(path, token, options, { who, share });
      return taken(token, options).then((late) => turnIn(late, token, options, { who, share }));
    },
  };
}

/** Whoever waits looks now and again, by chance, so that nobody is always late. */
async function taken(token: Token, { folder, name, now, later, random }: FileLedgerOptions): Promise<string> {
  const made = await token.make();
  if (made !== undefined) return made;
  const deadline = now() + patience;
  for (let look = 1; now() < deadline; look += 1) {
    await new Promise<void>((resolve) => void later(1 + random() * (longestPause - 1), resolve));
    const path = look % looks === 0 ? token.take() : token.tryLookup();
    if (path !== undefined) return path;
  }
  throw configuration('pace-held', `another process holds ${join(folder, name)}`);
}

interface Asking {
  readonly who: Who;
  readonly share: Share;
}

function turnIn(path: string, token: Token, options: FileLedgerOptions, { who, share }: Asking): Granted {
  try {
    const { window, owner, now, onDamaged } = options;
    const time = now();
    const isAlive = ({ pid, start, seen }: Party) => isProcessAlive(pid, start, owner.kill, () => time - seen);
    return change(path, onDamaged, (found) => {
      const current = refresh(found, { time, window, lives: isAlive });
      return settle(current, { who, share, time, window });
    });
  } finally {
    token.putBack();
  }
}

type Change = (book: Book) => ReturnType<typeof settle>;

/**
 * In place, because replacing a file costs ten times as much. One write overwrites the longer text of before with line
 * feeds as well, so a kill leaves the old book or the new one.
 */
function change(path: string, onDamaged: () => void, make: Change): Granted {
  const fd = openRegular(path, constants.O_RDWR);
  try {
    const before = readFileSync(fd, 'utf8');
    const { book, granted } = make(read(before, onDamaged));
    const after = bookText(book);
    writeSync(fd, after.padEnd(before.length, '\n'), 0);
    if (after.length < before.length) ftruncateSync(fd, after.length);
    return granted;
  } finally {
    closeSync(fd);
  }
}

function read(text: string, onDamaged: () => void): Book {
  // Whoever made it may have been killed at once.
  if (text === '') return emptyBook;
  const book = bookIn(text);
  if (!book) onDamaged();
  return book ?? emptyBook;
}

/**
 * A file that one process at a time has, and whoever has it may change it in place. To take it is to rename it, which
 * only one can do, costs nearly nothing, and says in its name whose it is when that one is killed.
 */
interface Token {
  /** Where the file is for the one who took it; undefined while another process has it. */
  take(): string | undefined;
  /** The same, but that it is not looked for where it is missing or was left by one who died. */
  tryLookup(): string | undefined;
  /** Makes it, where it is missing; whoever makes it has taken it. */
  make(): Promise<string | undefined>;
  /** Does nothing if another container has taken it meanwhile, because this process stood still. */
  putBack(): void;
}

/** Milliseconds: a turn takes less than one. */
const longestTurn = 3_000;
/** Milliseconds after which a file that nobody has changed is of no use. */
const kept = 86_400_000;

function createToken(folder: string, name: string, owner: Owner): Token {
  const free = join(folder, name);
  const mine = `${free}.${owner.pid}.${processStart(owner.pid) ?? ''}`;
  const take = () => {
    if (moved(free, mine)) return mine;
    const found = namesIn(folder).find((other) => other.startsWith(`${name}.`));
    return found !== undefined && isLeft(folder, found, owner) && moved(join(folder, found), mine) ? mine : undefined;
  };
  const tryLookup = () => (existsSync(free) && moved(free, mine) ? mine : undefined);
  const make = async () => ((await isMade({ folder, name, mine, owner })) ? mine : undefined);
  return { take, tryLookup, make, putBack: () => void moved(mine, free) };
}

function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Whether the process that has it is dead. One that runs elsewhere is, if it keeps the file for so long. */
function isLeft(folder: string, name: string, { kill }: Owner): boolean {
  const [, pid, start] = /^[0-9a-z]+\.(\d+)\.(.*)$/.exec(name) ?? [];
  if (pid === undefined) return false;
  if (isElsewhere(start)) return takenFor(join(folder, name)) > longestTurn;
  return !isProcessAlive(Number(pid), start === '' ? undefined : start, kill);
}

/** Milliseconds since it was renamed. */
function takenFor(path: string): number {
  const renamed = statSync(path, { throwIfNoEntry: false })?.ctimeMs;
  return renamed === undefined ? 0 : Date.now() - renamed;
}

interface Missing {
  readonly folder: string;
  readonly name: string;
  readonly mine: string;
  readonly owner: Owner;
}

/** Among those who miss it at the same instant, one makes it. */
async function isMade({ folder, name, mine, owner }: Missing): Promise<boolean> {
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

/** Removes what other keys and the killed have left, by the clock of the files themselves. */
function sweep(files: readonly string[]): void {
  const times = new Map(files.map((file) => [file, statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity]));
  const newest = Math.max(...[...times.values()].filter(Number.isFinite));
  for (const [file, time] of times) if (time < newest - kept) rmSync(file, { force: true });
}
