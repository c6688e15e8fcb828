import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, usage } from '../../errors.ts';
import { namesIn } from '../../folder.ts';
import type { Owner } from '../../lock.ts';
import type { Probe } from '../../process-life.ts';
import type { FoundRun } from './find.ts';
import { isFinished, runAt, runIds } from './find.ts';
import { busy, createHolds, holderOfRun } from './hold.ts';
import { runFolder } from './identity.ts';
import type { RunFacts } from './records.ts';
import { states } from './records.ts';
import type { Story } from './story.ts';
import { journalIn } from './story.ts';
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
    .flatMap((id) => runOf({ id, folder: runFolder(stateFolder, id) }, kill) ?? [])
    .sort((a, b) => startedAt(b) - startedAt(a));
}

/** Throws where no run's id begins so, or several do. */
export function idOf(stateFolder: string, beginning: string): string {
  const ids = runIds(stateFolder).filter((id) => beginning !== '' && id.startsWith(beginning));
  const [id] = ids;
  if (id === undefined) throw unknown(beginning);
  if (ids.length > 1) throw usage(`"${beginning}" begins several runs: ${ids.join(', ')}`, 'give more of it');
  return id;
}

/** Throws where there is none of this id, and says what is wrong with one that is damaged. */
export function readRun(stateFolder: string, id: string, kill: Probe): KnownRun {
  const run = runIds(stateFolder).includes(id) ? runOf({ id, folder: runFolder(stateFolder, id) }, kill) : undefined;
  if (!run) throw unknown(id);
  if (run.state === 'damaged') throw run.problem;
  return run;
}

/** Why a row is not done, or not yet. */
export interface Told extends Pick<Verdict, 'number' | 'line' | 'reason'> {
  readonly outcome: Verdict['outcome'] | 'on its way';
}

/** Those of all rows that are not done and were taken up, by number; the rows themselves are in the input alone. */
export function* verdictsOf(stateFolder: string, id: string, kill: Probe): Generator<Told> {
  const folder = runFolder(stateFolder, id);
  const found = runIds(stateFolder).includes(id) ? foundNow({ id, folder }, kill) : undefined;
  if (!found) throw unknown(id);
  const { story, pid } = found;
  if (story instanceof CliError) throw story;
  for (const verdict of verdictsIn(journalIn(folder), story.ledger)) {
    const isFlying = goesOn(story, pid) && story.ledger.stateOf(verdict.number) === states.sent;
    yield isFlying ? { ...verdict, outcome: 'on its way', reason: 'its answer has not come yet' } : verdict;
  }
}

/** Files of rows that came to nothing, where they could not be beside the input. */
export function rowFilesOf(stateFolder: string, id: string): readonly string[] {
  const folder = runFolder(stateFolder, id);
  return namesIn(folder)
    .filter((name) => /^(failed|unsure)\.(?!.*\.new$)/.test(name))
    .map((name) => join(folder, name));
}

/** Throws where a process is at it at this instant. */
export function refuseRunning(stateFolder: string, id: string, kill: Probe): void {
  const folder = runFolder(stateFolder, id);
  const by = holderOfRun(folder, kill);
  if (by !== undefined) throw busy(folder, by);
}

/** Removes all that is known of a run, unless another process is at it; what is to go before is told its folder. */
export function forgetRun(
  stateFolder: string,
  id: string,
  owner: Owner,
  before: (folder: string) => void = () => {},
): void {
  const folder = runFolder(stateFolder, id);
  if (!runIds(stateFolder).includes(id) || !existsSync(folder)) throw unknown(id);
  const holds = createHolds(owner);
  holds.hold(folder);
  before(folder);
  rmSync(folder, { recursive: true, force: true });
  holds.release();
}

type Place = Pick<FoundRun, 'id' | 'folder'>;

function runOf(place: Place, kill: Probe): Run | undefined {
  const found = foundNow(place, kill);
  if (!found) return undefined;
  const { story, pid } = found;
  if (story instanceof CliError) return { ...place, state: 'damaged', problem: story };
  const { facts, lastAt } = story;
  const state = pid !== undefined ? 'running' : isFinished(story) ? 'finished' : 'unfinished';
  const summary = summaryOf(story, journalIn(place.folder), 0, goesOn(story, pid));
  return { ...place, state, pid, facts, lastAt, summary };
}

/** One that ended while its journal was read is read once more: what was on its way then is not any more. */
function foundNow({ id, folder }: Place, kill: Probe) {
  const before = holderOfRun(folder, kill);
  const found = runAt(folder, id);
  const pid = holderOfRun(folder, kill)?.pid;
  const last = before !== undefined && pid === undefined ? runAt(folder, id) : found;
  return last && { ...last, pid };
}

/** Whether the process that holds it is the one whose rows are on their way. */
function goesOn({ pid, ending }: Story, holder: number | undefined): boolean {
  return holder === pid && ending === undefined;
}

function startedAt(run: Run): number {
  return run.state === 'damaged' ? 0 : run.facts.startedAt;
}

function unknown(id: string): CliError {
  return usage(`there is no run "${id}" on this machine`, 'see "bizmsg runs list"');
}
