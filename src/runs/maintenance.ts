import { activityFolder, newestFirst } from '../session/activity/log.ts';
import { usage } from '../base/errors.ts';
import type { OnDamage } from '../base/journal-lines.ts';
import { type FileLedger, openFileLedger } from '../ledger/file/file-ledger.ts';
import type { RunEntry } from '../ledger/file/runs.ts';
import { digestSize, phoneDigest, recipientDigest } from '../ledger/identity.ts';
import { type LoggedRow, rowsIn, rowsOfRun } from './history.ts';
import { closedText, ledgerFolder, removeLogs, runNamed, runsOf } from './listing.ts';
import { allRuns, type RunsHome } from './team-runs.ts';
import { base64, createRunLog, logFolder, type LogPart, logParts, type RunLog } from './log.ts';

/** A ledger and its list of runs. */
type RunsLedger = Pick<FileLedger, 'resolve' | 'closeRun' | 'runs' | 'putEntry'>;

function isOfTeam({ team }: RunsHome, run: string): boolean {
  return team?.runs.some((one) => one.run === run) ?? false;
}

function withLedgerOf<T>(home: RunsHome, run: string, act: (ledger: RunsLedger) => Promise<T>): Promise<T> {
  const { team } = home;
  if (team && isOfTeam(home, run)) return act({ ...team.ledger, putEntry: team.putEntry });
  return withLedger(home, async (ledger) => {
    const isKnown = (await ledger.runs()).some(({ id }) => id === run);
    if (!isKnown) throw usage(`run ${run} is not in the ledger that this command uses`, elsewhere(run));
    return act(ledger);
  });
}

function elsewhere(run: string): string {
  const team = 'if it belongs to a team, add --profile with a profile of that team';
  return `${team}; otherwise a server may have lost it; bizmsg runs show ${run} shows what is known`;
}

export interface Resolving extends RunsHome {
  readonly id: string;
  readonly onDamage: OnDamage;
  readonly found: 'sent' | 'not-sent';
  /** Only these lines. */
  readonly lines: ((line: number) => boolean) | undefined;
}

/** Records what was found out about unsure rows. */
export async function resolveRows({ id, found, lines, onDamage, ...home }: Resolving) {
  const { stateFolder, host } = home;
  const entry = runNamed(allRuns(home), id);
  const { run } = entry;
  const folder = logFolder(stateFolder, run);
  const parts = logParts(folder, onDamage);
  const unsure = rowsOfRun(parts).filter(({ outcome }) => outcome === 'unsure');
  const chosen = lines ? unsure.filter(({ line }) => lines(line)) : unsure;
  const nothing = (why: string) => usage(why, `see bizmsg runs show ${run}`);
  if (lines && chosen.length === 0) throw nothing('none of these lines is unsure');
  return withLedgerOf(home, run, async (ledger) => {
    const digests = chosen.flatMap(({ digest }) => (digest === undefined ? [] : [Buffer.from(digest, 'base64')]));
    // A power cut may have taken rows from the log that the ledger has.
    const rows = await ledger.resolve(run, found, lines ? digests : undefined);
    if (rows === 0) throw nothing(`run ${run} has no unsure rows`);
    writeLog(folder, { run, parts, at: host.now() }, (log) => log.resolved(chosen.filter(hasDigest), found));
    await ledger.putEntry({ ...entry, counts: await countsNow(ledger, entry), updatedAt: host.now() });
    return { run, rows, found };
  });
}

/** The index of a command that was killed is out of date. */
async function countsNow(ledger: Pick<RunsLedger, 'runs'>, { run, counts }: RunEntry) {
  const now = (await ledger.runs()).find(({ id }) => id === run)?.counts;
  if (!now) return { ...counts, left: counts['left'] ?? 0 };
  const { done: sent, unsure, planned, released, failed } = now;
  return { ...counts, sent, unsure, failed: Math.max(counts['failed'] ?? 0, failed), left: planned + released };
}

function hasDigest(row: LoggedRow): row is LoggedRow & { readonly digest: string } {
  return row.digest !== undefined;
}

export async function closeRun({ id, ...home }: RunsHome & { readonly id: string }) {
  const { host } = home;
  const entry = runNamed(allRuns(home), id);
  const { run } = entry;
  return withLedgerOf(home, run, async (ledger) => {
    const { left, ...counts } = await countsNow(ledger, entry);
    if (left === 0) throw usage(`run ${run} has no unsent rows`, 'only an unfinished run can be closed');
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
  const own = new Set(runsOf(home.stateFolder, home.host).map(({ run }) => run));
  for (const run of ids) if (isOfTeam(home, run)) await home.team?.ledger.forget({ run });
  await withLedger(home, async (ledger) => {
    for (const run of ids) {
      if (own.has(run)) await ledger.forget({ run });
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
  for (const { template } of allRuns(home)) if (template !== undefined) templates.add(template);
  for (const { intent } of newestFirst(activityFolder(stateFolder), host.kill, () => {}))
    if (intent.template !== undefined) templates.add(intent.template);
  const forget = async (ledger: Pick<FileLedger, 'secret' | 'forget'>) => {
    const messages = [...templates].map((template) => recipientDigest(ledger.secret, { template, to: recipient }));
    const seconds = [...messages, phoneDigest(ledger.secret, recipient)];
    await ledger.forget({ seconds });
    forgetInLogs(home, seconds);
  };
  await withLedger(home, forget);
  if (home.team) await forget(home.team.ledger);
}

/** If the server of a team loses its data, the logs have what was sent. */
function forgetInLogs({ stateFolder, host }: Pick<RunsHome, 'stateFolder' | 'host'>, seconds: readonly Uint8Array[]) {
  const wanted = new Set(seconds.map(base64));
  const isWanted = (digest: string) => wanted.has(base64(Buffer.from(digest, 'base64').subarray(digestSize)));
  for (const { run } of runsOf(stateFolder, host)) {
    const folder = logFolder(stateFolder, run);
    const parts = logParts(folder, () => {});
    const found = new Map<string, LoggedRow & { readonly digest: string }>();
    for (const part of parts)
      for (const row of rowsIn(part)) if (hasDigest(row) && isWanted(row.digest)) found.set(row.digest, row);
    const rows = [...found.values()].filter(({ outcome }) => outcome !== 'forgotten');
    if (rows.length > 0) writeLog(folder, { run, parts, at: host.now() }, (log) => log.forgotten(rows));
  }
}

interface Afterwards {
  readonly run: string;
  readonly parts: readonly LogPart[];
  readonly at: number;
}

function writeLog(folder: string, { run, parts, at }: Afterwards, write: (log: RunLog) => void): void {
  const { file = 'stdin', unit = 'line' } = parts.at(-1) ?? {};
  const log = createRunLog(folder, { run, at, file, unit });
  try {
    write(log);
  } finally {
    log.close();
  }
}

async function withLedger<T>(
  { stateFolder, host }: Pick<RunsHome, 'stateFolder' | 'host'>,
  act: (ledger: FileLedger) => Promise<T>,
): Promise<T> {
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
