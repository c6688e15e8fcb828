import { usage } from '../base/errors.ts';
import { phoneDigest, recipientDigest } from '../ledger/identity.ts';
import type { Ledger, RunState } from '../ledger/ledger.ts';
import { isSingles } from '../ledger/run.ts';
import { type ListedRun, placesOf, removeFiles, runNamed, type RunsHome, runsOf, withLedger } from './listing.ts';

interface Resolving extends RunsHome {
  /** Default: with a recipient all runs and single messages, otherwise the latest run with unsure rows. */
  readonly id: string | undefined;
  readonly found: 'sent' | 'not-sent';
  /** Only these lines. */
  readonly lines: ((line: number) => boolean) | undefined;
  /** Only this phone. */
  readonly recipient: string | undefined;
}

/** Records what was found out about unsure rows. */
export async function resolveRows({ id, found, lines, recipient, ...home }: Resolving) {
  if (lines && recipient !== undefined) throw usage('--lines and --recipient do not go together', 'use one of them');
  if (recipient !== undefined) return resolvePerson({ ...home, id, found, recipient });
  const runs = await runsOf(home);
  const chosen = id === undefined ? runs.findLast(({ counts }) => counts.unsure > 0) : runNamed(runs, id);
  if (!chosen) throw usage('no run has unsure rows', 'see bizmsg runs list');
  const { id: run, place } = chosen;
  const rows = await withLedger(home, place, (ledger) => ledger.resolve(run, found, lines && { isOn: lines }));
  const nothing = lines ? 'none of these lines is unsure' : `run ${run} has no unsure rows`;
  if (rows === 0) throw usage(nothing, `see bizmsg runs show ${run}`);
  return { run, rows, found };
}

async function resolvePerson({
  id,
  found,
  recipient,
  ...home
}: RunsHome & Pick<Resolving, 'id' | 'found'> & { readonly recipient: string }) {
  const run = id === undefined ? undefined : runNamed(await runsOf(home), id).id;
  const counts = await inEachLedger(home, recipient, async (ledger, people) => {
    let rows = 0;
    for (const { id: own, counts: known } of await ledger.runs())
      if ((run === undefined || own === run) && known.unsure > 0) rows += await ledger.resolve(own, found, { people });
    return rows;
  });
  const rows = counts.reduce((sum, count) => sum + count, 0);
  if (rows === 0) throw usage(`nothing that was sent to ${recipient} is unsure`, 'see bizmsg runs list');
  return { run: run ?? null, rows, found };
}

/** Gives up what a run has not sent; a finished job can be closed, too. */
export async function closeRun({ id, ...home }: RunsHome & { readonly id: string }) {
  const { id: run, place, status, job } = runNamed(await runsOf(home), id);
  if (status === 'closed' || (status === 'finished' && job === undefined))
    throw usage(`run ${run} has no unsent rows`, 'only an unfinished run or a job can be closed');
  return withLedger(home, place, async (ledger) => ({ run, left: await ledger.closeRun(run) }));
}

export async function forgetRuns({
  runs,
  ...home
}: RunsHome & { readonly runs: readonly Pick<ListedRun, 'id' | 'place'>[] }): Promise<void> {
  for (const place of new Set(runs.map(({ place }) => place)))
    await withLedger(home, place, async (ledger) => {
      for (const run of runs) {
        if (run.place !== place) continue;
        await ledger.forget({ run: run.id });
        removeFiles(home.stateFolder, run.id);
      }
    });
}

/** Returns the open runs and jobs that had the person, and would send to them again. */
export async function forgetRecipient({
  recipient,
  ...home
}: RunsHome & { readonly recipient: string }): Promise<readonly RunState[]> {
  const found = await inEachLedger(home, recipient, (ledger, people) => ledger.forget({ people }));
  return found.flat().filter(({ id }) => !isSingles(id));
}

/** A ledger knows digests of template and phone, so each template that it has is tried. */
async function inEachLedger<T>(
  home: RunsHome,
  recipient: string,
  act: (ledger: Ledger, people: { readonly who: readonly Uint8Array[]; readonly per: Uint8Array }) => Promise<T>,
): Promise<readonly T[]> {
  const results: T[] = [];
  for (const place of await placesOf(home))
    await withLedger(home, place, async (ledger) => {
      const { secret } = ledger;
      const templates = new Set((await ledger.runs()).flatMap(({ template }) => template ?? []));
      const who = [...templates].map((template) => recipientDigest(secret, { template, to: recipient }));
      results.push(await act(ledger, { who, per: phoneDigest(secret, recipient) }));
    });
  return results;
}
