import { usage } from '../base/errors.ts';
import type { OnDamage } from '../base/journal-lines.ts';
import { type FileLedger, openFileLedger } from '../ledger/file/file-ledger.ts';
import type { RunEntry } from '../ledger/file/runs.ts';
import { phoneDigest, recipientDigest } from '../ledger/identity.ts';
import { templatesOfCalls } from '../logs/activity.ts';
import { readLogs } from '../logs/database.ts';
import { type LoggedRow, rowsOfRun } from './history.ts';
import { closedText, ledgerFolder, removeLogs, runNamed, runsOf } from './listing.ts';
import { createRunLog, logFolder, logParts } from './log.ts';
import type { Host } from '../base/host.ts';

/** Where runs are kept. */
export interface RunsHome {
  readonly stateFolder: string;
  readonly host: Host;
}

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
  const entry = runNamed(runsOf(stateFolder, host), id);
  const { run } = entry;
  const folder = logFolder(stateFolder, run);
  const parts = logParts(folder, onDamage);
  const unsure = rowsOfRun(parts).filter(({ outcome }) => outcome === 'unsure');
  const chosen = lines ? unsure.filter(({ line }) => lines(line)) : unsure;
  const nothing = (why: string) => usage(why, `see bizmsg runs show ${run}`);
  if (lines && chosen.length === 0) throw nothing('none of these lines is unsure');
  return withLedger(home, async (ledger) => {
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
    await ledger.putEntry({ ...entry, counts: await countsNow(ledger, entry), updatedAt: host.now() });
    return { run, rows, found };
  });
}

/** The index of a command that was killed is out of date. */
async function countsNow(ledger: Pick<FileLedger, 'runs'>, { run, counts }: RunEntry) {
  const now = (await ledger.runs()).find(({ id }) => id === run)?.counts;
  if (!now) return { ...counts, left: counts['left'] ?? 0 };
  const { done: sent, unsure, planned, released, failed } = now;
  return { ...counts, sent, unsure, failed: Math.max(counts['failed'] ?? 0, failed), left: planned + released };
}

function hasDigest(row: LoggedRow): row is LoggedRow & { readonly digest: string } {
  return row.digest !== undefined;
}

export async function closeRun({ id, ...home }: RunsHome & { readonly id: string }) {
  const { stateFolder, host } = home;
  const entry = runNamed(runsOf(stateFolder, host), id);
  const { run } = entry;
  return withLedger(home, async (ledger) => {
    const { left, ...counts } = await countsNow(ledger, entry);
    if (left === 0 && entry.status !== 'unfinished')
      throw usage(`run ${run} has no unsent rows`, 'only an unfinished run can be closed');
    await ledger.closeRun(run);
    const now = host.now();
    await ledger.putEntry({
      ...entry,
      counts: { ...counts, left: 0 },
      updatedAt: now,
      endedAt: now,
      stopped: closedText,
    });
    return { run, left };
  });
}

export async function forgetRuns({ ids, ...home }: RunsHome & { readonly ids: readonly string[] }): Promise<void> {
  if (ids.length === 0) return;
  await withLedger(home, async (ledger) => {
    for (const run of ids) {
      await ledger.forget({ run });
      removeLogs(home.stateFolder, run);
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
  for (const { template } of runsOf(stateFolder, host)) if (template !== undefined) templates.add(template);
  for (const template of (await readLogs(stateFolder, { host, note() {} }, templatesOfCalls)) ?? [])
    templates.add(template);
  await withLedger(home, async (ledger) => {
    const messages = [...templates].map((template) => recipientDigest(ledger.secret, { template, to: recipient }));
    await ledger.forget({ seconds: [...messages, phoneDigest(ledger.secret, recipient)] });
  });
}

async function withLedger<T>({ stateFolder, host }: RunsHome, act: (ledger: FileLedger) => Promise<T>): Promise<T> {
  const ledger = openFileLedger({
    folder: ledgerFolder(stateFolder),
    owner: { pid: host.pid, kill: host.kill },
    now: host.now,
    later: host.later,
    random: host.random,
    isLocal: false,
    onRepaired: () => {},
  });
  try {
    return await act(ledger);
  } finally {
    await ledger.close();
  }
}
