import { entryIn, type RunEntry } from '../ledger/file/runs.ts';
import { isSingles, type Ledger, type RunState } from '../ledger/ledger.ts';
import type { Host } from '../base/host.ts';
import { isRecord } from '../contract/readers.ts';
import { explain } from '../session/profiles/explain.ts';
import { callerInputs } from '../session/profiles/resolve.ts';
import type { Session } from '../session/session.ts';
import { closedText, type ListedRun, runsOf } from './listing.ts';

/** The runs of all machines of a team. */
export interface TeamRuns {
  readonly runs: readonly ListedRun[];
  readonly ledger: Ledger & { readonly secret: string };
  /** Replaces the entry of a run. */
  putEntry(entry: RunEntry): Promise<void>;
  close(): Promise<void>;
}

/** Where runs are kept. */
export interface RunsHome {
  readonly stateFolder: string;
  readonly host: Host;
  /** The runs of a team are changed on its server. */
  readonly team: TeamRuns | undefined;
}

/** The runs of this machine and of its team, the latest last. */
export function allRuns({ stateFolder, host, team }: RunsHome): readonly ListedRun[] {
  const own = runsOf(stateFolder, host);
  if (!team) return own;
  const shared = new Set(team.runs.map(({ run }) => run));
  const files = new Map(own.map(({ run, files }) => [run, files]));
  const withFiles = team.runs.map((one) => ({ ...one, files: files.get(one.run) }));
  return [...own.filter(({ run }) => !shared.has(run)), ...withFiles].sort((a, b) => a.startedAt - b.startedAt);
}

/** Undefined if the current caller has no team. Without a caller, the runs of this machine are still of use. */
export async function openTeamRuns(session: Session): Promise<TeamRuns | undefined> {
  const { caller, problem } = explain(callerInputs(session));
  if (problem && session.given.profile !== undefined) throw problem;
  const server = caller && (await session.team(caller));
  if (!server) return undefined;
  const { putShared, serverLedger } = await import('../session/team-ledger.ts');
  const ledger = serverLedger(session, server);
  const { redis, prefix } = server;
  const entries = new Map<string, SharedEntry>();
  const stored = await redis.call('HVALS', `${prefix}index`);
  for (const text of Array.isArray(stored) ? stored : []) {
    const entry = sharedEntry(String(text));
    if (entry) entries.set(entry.run, entry);
  }
  const states = (await ledger.runs()).filter(({ id }) => !isSingles(id));
  return {
    runs: states.map((state) => listedOf(state, entries.get(state.id))),
    ledger,
    putEntry: (entry) => putShared(server, entry, entries.get(entry.run)?.host),
    close: async () => ledger.close(),
  };
}

type SharedEntry = RunEntry & { readonly host: string | undefined };

/** An unreadable entry is left out: the counts of its run are known without it. */
function sharedEntry(text: string): SharedEntry | undefined {
  const value = parsed(text);
  const entry = entryIn(value);
  const host = isRecord(value) && typeof value['host'] === 'string' ? value['host'] : undefined;
  return entry && { ...entry, host };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The counts of the server are those of all machines. An entry is missing if its process was killed at its start. */
function listedOf(state: RunState, entry: SharedEntry | undefined): ListedRun {
  const { id: run, mode, kind, template, account, job, counts, isRunning, isFinished, isClosed } = state;
  const left = counts.planned + counts.released + counts.leaving;
  const known = counts.done + counts.failed + counts.unsure + left;
  const { skipped = 0, rows = 0 } = entry?.counts ?? {};
  const status = isRunning ? 'running' : isClosed ? 'closed' : isFinished ? 'finished' : 'unfinished';
  return {
    run,
    command: entry?.command ?? '',
    file: entry?.file,
    mode,
    kind: entry?.kind ?? (kind === 'contact' ? 'contacts import' : 'send-batch'),
    template,
    account: account.id,
    job,
    owner: undefined,
    startedAt: state.startedAt,
    counts: {
      rows: Math.max(rows, known),
      sent: counts.done,
      failed: Math.max(counts.failed, entry?.counts['failed'] ?? 0),
      unsure: counts.unsure,
      left,
      skipped,
    },
    updatedAt: state.lastAt,
    endedAt: isFinished || isClosed ? state.lastAt : undefined,
    stopped: isClosed ? closedText : entry?.stopped,
    status,
    host: entry?.host,
  };
}
