import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CliError } from '../../errors.ts';
import { configuration, unsafe } from '../../errors.ts';
import { fileFault } from '../../file-fault.ts';
import { stateFolderAt } from '../../folder.ts';
import type { Claim, Holder, Owner } from '../../lock.ts';
import { acquire, holderOf, nameOf } from '../../lock.ts';
import type { Probe } from '../../process-life.ts';

export interface Holds {
  readonly folders: ReadonlySet<string>;
  /** Makes the folder where it is missing; throws where another process holds it. */
  hold(folder: string): void;
  /** False once another process has taken the run over. */
  isHeld(folder: string): boolean;
  /** Leaves no empty folder behind. */
  release(): void;
}

/** The runs that this process has for itself. */
export function createHolds(owner: Owner): Holds {
  const held = new Map<string, Held>();
  return {
    get folders() {
      return new Set(held.keys());
    },
    hold(folder) {
      const claim = claimed(stateFolderAt(folder), owner);
      if (!claim.held) throw busy(folder, claim.by);
      held.set(folder, claim);
    },
    isHeld: (folder) => held.get(folder)?.isHeld() ?? false,
    release() {
      const all = [...held];
      held.clear();
      releaseAll(all);
    },
  };
}

type Held = Extract<Claim, { held: true }>;

/** The others too if one of them fails: a claim that is kept is renewed for as long as the process lives. */
function releaseAll([first, ...others]: readonly (readonly [folder: string, claim: Held])[]): void {
  if (!first) return;
  const [folder, claim] = first;
  try {
    claim.release();
    removeEmpty(folder);
  } finally {
    releaseAll(others);
  }
}

/** The process that holds a run at this instant. */
export function holderOfRun(folder: string, kill: Probe): Holder | undefined {
  return holderOf(lockPath(folder), kill);
}

/** A folder that is there, for one process at a time. */
export function claimed(folder: string, owner: Owner) {
  try {
    return acquire(lockPath(folder), owner);
  } catch (error) {
    const fault = fileFault(error);
    if (!fault) throw error;
    const hint = 'BIZMSG_STATE_DIR can name another folder';
    throw configuration('state-unwritable', `cannot write ${folder}: ${fault.reason}`, hint, error);
  }
}

/** Another process holds it. */
export function busy(folder: string, by: Holder | undefined): CliError {
  const message = `${nameOf(by)} is working on this run: ${folder}`;
  if (by?.host === undefined) return configuration('run-busy', message, 'wait for it, or end it and --resume');
  return unsafe('run-busy', message, 'wait for it; 90 seconds after its last sign of life its run can be resumed');
}

function lockPath(folder: string): string {
  return join(folder, 'lock');
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!fileFault(error)) throw error;
  }
}
