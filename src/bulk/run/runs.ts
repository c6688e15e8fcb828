import { existsSync, rmSync } from 'node:fs';
import { CliError, usage } from '../../errors.ts';
import type { Owner } from '../../lock.ts';
import type { Probe } from '../../process-life.ts';
import type { FoundRun } from './find.ts';
import { isFinished, runAt, runIds } from './find.ts';
import { createHolds, holderOfRun } from './hold.ts';
import { runFolder } from './identity.ts';
import type { RunFacts } from './records.ts';
import { journalPath } from './story.ts';
import type { Summary } from './summary.ts';
import { summaryOf } from './summary.ts';
import type { Verdict } from './verdicts.ts';
import { verdictsIn } from './verdicts.ts';

/** A run on this machine, as its journal tells it. */
export type Run = KnownRun | DamagedRun;

export interface KnownRun {
  readonly id: string;
  readonly folder: string;
  readonly state: 'running' | 'unfinished' | 'finished';
  /** The process that is at it. */
  readonly pid?: number | undefined;
  readonly facts: RunFacts;
  /** When it last did anything. */
  readonly lastAt: number;
  readonly summary: Summary;
}

interface DamagedRun {
  readonly id: string;
  readonly folder: string;
  readonly state: 'damaged';
  readonly problem: CliError;
}

/** The newest first; a damaged one hides none of the others. */
export function listRuns(stateFolder: string, kill: Probe): readonly Run[] {
  return runIds(stateFolder)
    .flatMap((id) => runAt(runFolder(stateFolder, id), id) ?? [])
    .map((found) => runOf(found, kill))
    .sort((a, b) => startedAt(b) - startedAt(a));
}

/** Throws where there is none of this id, and says what is wrong with one that is damaged. */
export function readRun(stateFolder: string, id: string, kill: Probe): KnownRun {
  const found = runIds(stateFolder).includes(id) ? runAt(runFolder(stateFolder, id), id) : undefined;
  if (!found) throw unknown(id);
  const run = runOf(found, kill);
  if (run.state === 'damaged') throw run.problem;
  return run;
}

/** Why each row failed or is unsure, by number; the rows themselves are in the input alone. */
export function* verdictsOf(stateFolder: string, id: string): Generator<Verdict> {
  const folder = runFolder(stateFolder, id);
  const story = runIds(stateFolder).includes(id) ? runAt(folder, id)?.story : undefined;
  if (!story) throw unknown(id);
  if (story instanceof CliError) throw story;
  yield* verdictsIn(journalPath(folder), story.ledger);
}

/** Removes all that is known of a run, unless another process is at it. */
export function forgetRun(stateFolder: string, id: string, owner: Owner): void {
  const folder = runFolder(stateFolder, id);
  if (!runIds(stateFolder).includes(id) || !existsSync(folder)) throw unknown(id);
  const holds = createHolds(owner);
  holds.hold(folder);
  rmSync(folder, { recursive: true, force: true });
  holds.release();
}

function runOf({ id, folder, story }: FoundRun, kill: Probe): Run {
  if (story instanceof CliError) return { id, folder, state: 'damaged', problem: story };
  const { facts, lastAt } = story;
  const pid = holderOfRun(folder, kill);
  const state = pid !== undefined ? 'running' : isFinished(story) ? 'finished' : 'unfinished';
  return { id, folder, state, pid, facts, lastAt, summary: summaryOf(story, journalPath(folder)) };
}

function startedAt(run: Run): number {
  return run.state === 'damaged' ? 0 : run.facts.startedAt;
}

function unknown(id: string): CliError {
  return usage(`there is no run "${id}" on this machine`, 'see "bizmsg runs list"');
}
