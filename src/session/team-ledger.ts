import { hostname } from 'node:os';
import { CliError } from '../base/errors.ts';
import type { FileLedger } from '../ledger/file/file-ledger.ts';
import type { RunEntry } from '../ledger/file/runs.ts';
import type { Account } from '../ledger/ledger.ts';
import { checkFitness } from '../ledger/redis/health.ts';
import { openRedisLedger, type RedisLedger } from '../ledger/redis/redis-ledger.ts';
import type { OpenedLedger, Session, TeamServer } from './session.ts';

interface TeamLedgerOptions {
  readonly session: Session;
  readonly server: TeamServer;
  /** Messages that must not be sent twice are only recorded on a server that keeps its data. */
  readonly isLive: boolean;
  /** The ledger of this machine, and the account in it. */
  readonly own: { readonly ledger: FileLedger; readonly account: Account };
}

/** The ledger of a team. This machine's own one lists its runs, and what it sent before still counts. */
export async function openTeamLedger({ session, server, isLive, own }: TeamLedgerOptions): Promise<OpenedLedger> {
  const { given, reporter } = session;
  const { redis, account } = server;
  const unfit = given.dryRun ? undefined : await checkFitness(redis, isLive);
  if (unfit !== undefined) reporter.note('team-unfit', unfit);
  const ledger = serverLedger(session, server);
  const earlier = (await own.ledger.runs()).some(
    (run) => run.account.origin === account.origin || run.account.id === own.account.id,
  );
  return {
    ledger: {
      ...ledger,
      async putEntry(entry) {
        await putShared(server, entry, hostname());
        await own.ledger.putEntry(entry);
      },
    },
    account,
    team: { parts: ledger, own: earlier ? own : undefined, lossAcceptedAt: ledger.lossAcceptedAt },
    async close(last = []) {
      try {
        if (last.length > 0) await ledger.settle(last);
        await ledger.close().catch(unlessGone);
      } finally {
        await own.ledger.close();
      }
    },
  };
}

/** Lists a run for all machines. Processes and paths mean nothing on another one. */
export async function putShared(
  { redis, prefix }: TeamServer,
  entry: RunEntry,
  host: string | undefined,
): Promise<void> {
  const shared = { ...entry, owner: undefined, files: undefined, host };
  await redis.call('HSET', `${prefix}index`, entry.run, JSON.stringify(shared));
}

/** Nothing is in flight any more, and the server finds out by itself that this process has ended. */
function unlessGone(error: unknown): void {
  if (!(error instanceof CliError) || error.exit !== 'network') throw error;
}

/** The team's ledger alone. */
export function serverLedger({ host, given }: Session, { redis, name, secret, lastSeen }: TeamServer): RedisLedger {
  return openRedisLedger({
    redis,
    account: name,
    secret,
    lastSeen,
    acceptLoss: given.acceptLoss,
    pid: host.pid,
    later: host.later,
    now: host.now,
    steady: host.steady,
  });
}
