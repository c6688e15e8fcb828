import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, usage } from '../base/errors.ts';
import { namesIn } from '../base/files.ts';
import { isProcessAlive, type Probe, silenceOf } from '../base/liveness.ts';
import { listRuns, type RunEntry } from '../ledger/file/runs.ts';
import { isIdleSince } from '../ledger/ledger.ts';
import { suggest } from '../base/suggest.ts';

type RunStatus = 'running' | 'unfinished' | 'finished' | 'closed';

/** Milliseconds between two updates of a running run, and some more. */
const silent = 30_000;

export interface ListedRun extends RunEntry {
  readonly status: RunStatus;
}

/** All runs that this machine remembers, the latest last. Reads the index alone. */
export function runsOf(
  stateFolder: string,
  own: { readonly kill: Probe; readonly now: () => number },
): readonly ListedRun[] {
  return listRuns(ledgerFolder(stateFolder)).map((entry) => ({ ...entry, status: statusOf(entry, own) }));
}

export function ledgerFolder(stateFolder: string): string {
  return join(stateFolder, 'ledger');
}

function statusOf(
  { owner, endedAt, updatedAt, counts, stopped }: RunEntry,
  { kill, now }: { readonly kill: Probe; readonly now: () => number },
): RunStatus {
  const silence = () => now() - updatedAt - silent;
  if (endedAt === undefined && owner && isProcessAlive(owner.pid, owner.start, kill, silence)) return 'running';
  if (stopped === closedText) return 'closed';
  const isOpen = endedAt === undefined || stopped !== undefined || (counts['left'] ?? 0) > 0;
  if (!isOpen) return 'finished';
  return isIdleSince(updatedAt, now()) ? 'closed' : 'unfinished';
}

export const closedText = 'closed';

/** The run whose id this is, or begins like this. */
export function runNamed(runs: readonly ListedRun[], text: string): ListedRun {
  const found = runs.filter(({ run }) => run.startsWith(text));
  const exact = found.find(({ run }) => run === text) ?? (found.length === 1 ? found[0] : undefined);
  if (exact) return exact;
  if (found.length > 1)
    throw usage(`${found.length} runs begin with "${text}"`, `such as ${found[0]?.run} and ${found[1]?.run}`);
  const near = suggest(
    text,
    runs.map(({ run }) => run),
  );
  const hint = near === undefined ? 'see bizmsg runs list' : `did you mean ${near}?`;
  throw new CliError('notFound', 'run-unknown', `there is no run "${text}"`, { hint });
}

/** A run without any sent row has failed, although all its rows are settled. */
function stateOf({ status, counts }: ListedRun): RunStatus | 'failed' {
  const hasFailed = (counts['failed'] ?? 0) > 0 && (counts['sent'] ?? 0) === 0;
  return status === 'finished' && hasFailed ? 'failed' : status;
}

/** A run as a row of `runs list`. */
export function runRow(listed: ListedRun): object {
  const { run, kind, file, template, job, account, mode, counts, startedAt, updatedAt, stopped, command, files } =
    listed;
  return {
    id: run,
    started_at: new Date(startedAt).toISOString(),
    command: kind,
    file: file ?? 'stdin',
    state: stateOf(listed),
    template: template ?? null,
    job: job ?? null,
    rows: counts['rows'] ?? 0,
    sent: counts['sent'] ?? 0,
    failed: counts['failed'] ?? 0,
    unsure: counts['unsure'] ?? 0,
    left: counts['left'] ?? 0,
    skipped: counts['skipped'] ?? 0,
    stopped: stopped ?? null,
    mode,
    account,
    updated_at: new Date(updatedAt).toISOString(),
    typed: command,
    failed_file: files?.failed?.file ?? null,
    unsure_file: files?.unsure?.file ?? null,
  };
}

const day = 86_400_000;

/** Removes the logs of runs that have expired from the index. A run that begins now has none there yet. */
export function removeExpiredLogs(stateFolder: string): void {
  const known = new Set(listRuns(ledgerFolder(stateFolder)).map(({ run }) => run));
  for (const name of namesIn(join(stateFolder, 'runs'))) {
    const isExpired = /^[0-9a-f]{12}$/.test(name) && !known.has(name);
    if (isExpired && silenceOf(join(stateFolder, 'runs', name)) > day) removeLogs(stateFolder, name);
  }
}

/** Removes the logs of a forgotten run. */
export function removeLogs(stateFolder: string, run: string): void {
  rmSync(join(stateFolder, 'runs', run), { recursive: true, force: true });
}
