import { CliError } from '../../errors.ts';
import { refuseBusy } from './busy.ts';
import { refuseChanged } from './check.ts';
import { decide } from './decide.ts';
import { refuseElsewhere } from './elsewhere.ts';
import { findRuns } from './find.ts';
import { holderOfRun } from './hold.ts';
import { isSettled } from './intake.ts';
import type { Ledger } from './ledger.ts';
import { refuseRepeats } from './repeats.ts';
import type { RepeatsOptions } from './repeats.ts';

type ForeseeOptions = RepeatsOptions & {
  /** How the input is shown. */
  readonly path: string;
  /** How many rows can be sent at all. */
  readonly ready: number;
};

/** What a run would begin with. */
export interface Foreseen {
  /** How many rows it would send. */
  readonly left: number;
  /** The first of them, where it is not simply the first of all. */
  readonly first?: string | undefined;
  /** What it would go on with, if with anything. */
  readonly run?: { readonly id: string; readonly done: number; readonly failed: number; readonly unsure: number };
  readonly refused?: CliError;
  /** What is to be said. */
  readonly notes?: readonly string[];
}

/** What `openRun` would come to; nothing is changed. */
export async function foresee(options: ForeseeOptions): Promise<Foreseen> {
  try {
    return await foreseen(options);
  } catch (error) {
    if (error instanceof CliError) return { left: 0, refused: error };
    throw error;
  }
}

async function foreseen(options: ForeseeOptions): Promise<Foreseen> {
  const { stateFolder, identity, flags, read, kill, path, ready } = options;
  const isHeld = (folder: string) => holderOfRun(folder, kill) !== undefined;
  const found = findRuns(stateFolder, identity, { ...flags, isHeld });
  refuseBusy(found, kill, new Set());
  const decision = decide(found, flags);
  if (decision.action === 'refuse') throw decision.error;
  if (decision.action === 'begin') {
    const others = refuseElsewhere(stateFolder, identity, flags);
    return { left: ready, notes: [...others, ...(await refuseRepeats(options, decision))] };
  }
  const { action, story } = decision;
  const run = { id: decision.run.id, ...story.ledger.counts() };
  if (action === 'tell') return { left: 0, run };
  if (action === 'check') await refuseChanged(read(), story.ledger, path);
  await refuseRepeats(options, decision);
  return { ...(await leftIn(read(), story.ledger, flags.allowUnsure)), run };
}

async function leftIn(rows: ReturnType<ForeseeOptions['read']>, ledger: Ledger, allowUnsure: boolean) {
  let left = 0;
  let first: string | undefined;
  for await (const batch of rows) {
    for (const row of batch) {
      if ('reason' in row || isSettled(row, ledger, allowUnsure)) continue;
      left += 1;
      first ??= row.content;
    }
  }
  return { left, first };
}
