import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, usage } from '../base/errors.ts';
import { refuseUnreadable } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import { suggest } from '../base/suggest.ts';
import type { Ledger, RunState } from '../ledger/ledger.ts';
import { hasLedger, openLedger } from '../ledger/open.ts';
import type { Team } from '../session/team-server.ts';
import { isSingles } from '../ledger/run.ts';

type RunStatus = 'running' | 'unfinished' | 'finished' | 'closed';

/** Where runs are kept. */
export interface RunsHome {
  readonly stateFolder: string;
  readonly host: Host;
  note(code: string, message: string): void;
  /** The team of the caller, if it has one. */
  team?(): Promise<Team | undefined>;
}

/** The ledger of this machine, of its local sandbox, or of the team. */
export type Place = 'own' | 'local' | 'team';

export interface ListedRun extends RunState {
  readonly status: RunStatus;
  readonly place: Place;
}

/** All runs that this machine and its team remember, the latest last. */
export async function runsOf(home: RunsHome): Promise<readonly ListedRun[]> {
  refuseUnreadable(home.stateFolder);
  const runs: ListedRun[] = [];
  for (const place of await placesOf(home)) {
    const found = await withLedger(home, place, (ledger) => ledger.runs(), true);
    for (const run of found) if (!isSingles(run.id)) runs.push({ ...run, place, status: statusOf(run) });
  }
  return runs.toSorted((a, b) => a.startedAt - b.startedAt);
}

/** The ledgers that exist. */
export async function placesOf({ stateFolder, team }: RunsHome): Promise<readonly Place[]> {
  const own = (['own', 'local'] as const).filter((place) => hasLedger({ stateFolder, isLocal: place === 'local' }));
  return (await team?.()) ? [...own, 'team'] : own;
}

/** Opens a ledger, and closes it when the work is done. */
export async function withLedger<T>(
  home: RunsHome,
  place: Place,
  act: (ledger: Ledger) => Promise<T>,
  isListing = false,
): Promise<T> {
  const ledger = await openPlace(home, place, isListing);
  try {
    return await act(ledger);
  } finally {
    await ledger.close();
  }
}

export async function openPlace(
  { stateFolder, host, note, team }: RunsHome,
  place: Place,
  isListing = false,
): Promise<Ledger> {
  const onNote = (message: string) => note('ledger', message);
  const isLocal = place === 'local';
  const options = { stateFolder, host, isLocal, isLive: true, isListing, signal: host.signal, note: onNote };
  const shared = place === 'team' ? await team?.() : undefined;
  if (!shared) return openLedger(options);
  return (await (await import('../session/team-ledger.ts')).openTeamLedger(shared, host)).ledger;
}

function statusOf({ isRunning, isClosed, isFinished, hasEnded }: RunState): RunStatus {
  if (isRunning) return 'running';
  if (isClosed) return 'closed';
  return isFinished && hasEnded ? 'finished' : 'unfinished';
}

/** The run whose id this is, or begins like this, or the job of this name; by default the latest. */
export function runNamed(runs: readonly ListedRun[], text: string | undefined): ListedRun {
  const latest = runs.at(-1);
  if (text === undefined && latest) return latest;
  if (text === undefined) throw new CliError('notFound', 'run-unknown', 'there are no runs');
  const jobs = runs.filter(({ job }) => job === text);
  const found = jobs.length > 0 ? jobs : runs.filter(({ id }) => id.startsWith(text));
  const exact = runs.find(({ id }) => id === text) ?? (found.length === 1 ? found[0] : undefined);
  if (exact) return exact;
  if (found.length > 1)
    throw usage(`${found.length} runs begin with "${text}"`, `such as ${found[0]?.id} and ${found[1]?.id}`);
  const near = suggest(
    text,
    runs.map(({ id }) => id),
  );
  const hint = near === undefined ? 'see bizmsg runs list' : `did you mean ${near}?`;
  throw new CliError('notFound', 'run-unknown', `there is no run "${text}"`, { hint });
}

/** A run as a row of `runs list`. */
export function runRow(listed: ListedRun): object {
  const { id, command, file, template, job, mode, startedAt, stopped, files } = listed;
  const { rows, sent, failed, unsure, left, skipped } = countsOf(listed);
  // A run without any sent row has failed, although all its rows are settled.
  const state = listed.status === 'finished' && failed > 0 && sent === 0 ? 'failed' : listed.status;
  return {
    id,
    started_at: new Date(startedAt).toISOString(),
    command,
    file: file ?? 'stdin',
    state,
    template: template ?? null,
    job: job ?? null,
    rows,
    sent,
    failed,
    unsure,
    left,
    skipped,
    stopped: stopped ?? null,
    mode,
    failed_file: files.failed?.file ?? null,
    unsure_file: files.unsure?.file ?? null,
  };
}

/** `rows` is the sum of the others. A job may have had other rows before. */
function countsOf({ counts, rows: inInput, invalid, skipped: leftOut }: RunState) {
  const { done: sent, unsure, planned, released, leaving } = counts;
  const [failed, left] = [counts.failed + invalid, planned + released + leaving];
  const known = sent + failed + unsure + left;
  // Rows that are unsure in another run are left out, too.
  const skipped = Math.max(leftOut, inInput - known);
  return { rows: known + skipped, sent, failed, unsure, left, skipped };
}

/** The folder of a run, for rows that cannot be written beside its input. */
export function folderOf(stateFolder: string, run: string): string {
  return join(stateFolder, 'runs', run);
}

/** Removes the folder of a forgotten run. */
export function removeFiles(stateFolder: string, run: string): void {
  rmSync(folderOf(stateFolder, run), { recursive: true, force: true });
}
