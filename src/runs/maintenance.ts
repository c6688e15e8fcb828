import { usage } from '../base/errors.ts';
import type { OnDamage } from '../base/journal-lines.ts';
import { phoneDigest, recipientDigest } from '../ledger/identity.ts';
import { templatesOfCalls } from '../logs/activity.ts';
import { readLogs } from '../logs/database.ts';
import { hasLedger } from '../ledger/open.ts';
import { type LoggedRow, rowsOfRun } from './history.ts';
import { type ListedRun, removeLogs, runNamed, type RunsHome, runsOf, withLedger } from './listing.ts';
import { createRunLog, logFolder, logParts } from './log.ts';

interface Resolving extends RunsHome {
  readonly id: string;
  readonly onDamage: OnDamage;
  readonly found: 'sent' | 'not-sent';
  /** Only these lines. */
  readonly lines: ((line: number) => boolean) | undefined;
}

/** Records what was found out about unsure rows. */
export async function resolveRows({ id, found, lines, onDamage, ...home }: Resolving) {
  const { stateFolder, host } = home;
  const { id: run, isLocal } = runNamed(await runsOf(home), id);
  const folder = logFolder(stateFolder, run);
  const parts = logParts(folder, onDamage);
  const unsure = rowsOfRun(parts).filter(({ outcome }) => outcome === 'unsure');
  const chosen = lines ? unsure.filter(({ line }) => lines(line)) : unsure;
  const nothing = (why: string) => usage(why, `see bizmsg runs show ${run}`);
  if (lines && chosen.length === 0) throw nothing('none of these lines is unsure');
  return withLedger(home, isLocal, async (ledger) => {
    const digests = chosen.flatMap(({ digest }) => (digest === undefined ? [] : [Buffer.from(digest, 'base64')]));
    // A power cut may have taken rows from the log that the ledger has.
    const rows = await ledger.resolve(run, found, lines ? digests : undefined);
    if (rows === 0) throw nothing(`run ${run} has no unsure rows`);
    const { file = 'stdin', unit = 'line' } = parts.at(-1) ?? {};
    const log = createRunLog(folder, { run, at: host.now(), file, unit });
    try {
      log.resolved(chosen.filter(hasDigest), found);
    } finally {
      log.close();
    }
    return { run, rows, found };
  });
}

function hasDigest(row: LoggedRow): row is LoggedRow & { readonly digest: string } {
  return row.digest !== undefined;
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
        removeLogs(home.stateFolder, run.id);
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
