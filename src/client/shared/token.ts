import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, stateFolderAt } from '../../folder.ts';
import type { Owner } from '../../lock.ts';
import { isElsewhere, lives, processStart } from '../../process-life.ts';

/**
 * A file that one process at a time has, and whoever has it may change it in place. To take it is to rename it, which
 * only one can do, costs nearly nothing, and says in its name whose it is when that one is killed.
 */
export interface Token {
  /** Where the file is for the one who took it; undefined while another process has it. */
  take(): string | undefined;
  /** The same, but that it is not looked for where it is missing or was left by one who died. */
  glance(): string | undefined;
  /** Makes it, where it is missing; whoever makes it has taken it. */
  make(): Promise<string | undefined>;
  /** Does nothing if another container has taken it meanwhile, because this process stood still. */
  putBack(): void;
}

/** Milliseconds: a turn takes less than one. */
const longestTurn = 3_000;
/** Milliseconds after which a file that nobody has changed is of no use. */
const kept = 86_400_000;

export function createToken(folder: string, name: string, owner: Owner): Token {
  const free = join(folder, name);
  const mine = `${free}.${owner.pid}.${processStart(owner.pid) ?? ''}`;
  const take = () => {
    if (moved(free, mine)) return mine;
    const found = namesIn(folder).find((other) => other.startsWith(`${name}.`));
    return found !== undefined && isLeft(folder, found, owner) && moved(join(folder, found), mine) ? mine : undefined;
  };
  const glance = () => (existsSync(free) && moved(free, mine) ? mine : undefined);
  const make = async () => ((await isMade({ folder, name, mine, owner })) ? mine : undefined);
  return { take, glance, make, putBack: () => void moved(mine, free) };
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
  return !lives(Number(pid), start === '' ? undefined : start, kill);
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
  const { acquire } = await import('../../lock.ts');
  const claim = acquire(join(stateFolderAt(folder), `new-${name}`), owner);
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
