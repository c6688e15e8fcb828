import { usage } from '../base/errors.ts';
import { phoneDigest, recipientDigest } from '../ledger/identity.ts';
import { hasLedger } from '../ledger/open.ts';
import { templatesOfCalls } from '../logs/activity.ts';
import { readLogs } from '../logs/database.ts';
import { type ListedRun, removeFiles, runNamed, type RunsHome, runsOf, withLedger } from './listing.ts';

interface Resolving extends RunsHome {
  readonly id: string;
  readonly found: 'sent' | 'not-sent';
  /** Only these lines. */
  readonly lines: ((line: number) => boolean) | undefined;
}

/** Records what was found out about unsure rows. */
export async function resolveRows({ id, found, lines, ...home }: Resolving) {
  const { id: run, isLocal } = runNamed(await runsOf(home), id);
  const rows = await withLedger(home, isLocal, (ledger) => ledger.resolve(run, found, lines && { isOn: lines }));
  const nothing = lines ? 'none of these lines is unsure' : `run ${run} has no unsure rows`;
  if (rows === 0) throw usage(nothing, `see bizmsg runs show ${run}`);
  return { run, rows, found };
}

export async function closeRun({ id, ...home }: RunsHome & { readonly id: string }) {
  const { id: run, isLocal, status } = runNamed(await runsOf(home), id);
  if (status !== 'unfinished' && status !== 'running')
    throw usage(`run ${run} has no unsent rows`, 'only an unfinished run can be closed');
  return withLedger(home, isLocal, async (ledger) => ({ run, left: await ledger.closeRun(run) }));
}

export async function forgetRuns({
  runs,
  ...home
}: RunsHome & { readonly runs: readonly Pick<ListedRun, 'id' | 'isLocal'>[] }): Promise<void> {
  for (const isLocal of new Set(runs.map(({ isLocal }) => isLocal)))
    await withLedger(home, isLocal, async (ledger) => {
      for (const run of runs) {
        if (run.isLocal !== isLocal) continue;
        await ledger.forget({ run: run.id });
        removeFiles(home.stateFolder, run.id);
      }
    });
}

/** The ledger knows digests of template and phone, so each template that was ever sent from here is tried. */
export async function forgetRecipient({
  recipient,
  ...home
}: RunsHome & { readonly recipient: string }): Promise<void> {
  const { stateFolder, host } = home;
  const templates = new Set<string>();
  for (const { template } of await runsOf(home)) if (template !== undefined) templates.add(template);
  for (const template of (await readLogs(stateFolder, { host, note() {} }, templatesOfCalls)) ?? [])
    templates.add(template);
  for (const isLocal of [false, true])
    if (hasLedger({ stateFolder, isLocal }))
      await withLedger(home, isLocal, async ({ secret, forget }) => {
        const who = [...templates].map((template) => recipientDigest(secret, { template, to: recipient }));
        await forget({ people: { who, per: phoneDigest(secret, recipient) } });
      });
}
