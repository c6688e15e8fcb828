import { join } from 'node:path';
import { machineId } from '../base/worker.ts';
import { usage } from '../base/errors.ts';
import { type Later, sleep } from '../base/sleep.ts';
import { openDatabase } from '../base/sqlite.ts';
import { type Database, postgresLocks, query } from '../base/transaction.ts';
import {
  type ClientPace,
  type KnownPace,
  minuteLength,
  type Pace,
  type PaceLog,
  type PaceOptions,
  paceSchema,
  SlidingPace,
} from '../client/pace.ts';
import { type Plan, plans } from '../contract/plans.ts';
import { accountOf } from './caller.ts';
import type { BatchRate, CheckedTarget, Session } from './session.ts';
import { teamOf } from './record-file.ts';

/** Milliseconds of a wait that is worth a note. */
const longWait = 1_000;

/** The pace of single requests. */
export function singlePace(session: Session, checkedTarget: CheckedTarget, rate: number): Pace {
  const where = teamOf(session, checkedTarget) === undefined ? 'on this machine' : 'by the team';
  const onWait = (wait: number) => {
    const limit = `the limit of ${rate} requests a minute is used up ${where}`;
    if (wait > longWait) session.note('waiting', `${limit}; going on in ${(wait / 1000).toFixed(1)} s`);
  };
  const limits = [{ perWindow: rate, window: minuteLength }];
  return new SlidingPace({ ...shared(session, checkedTarget), kind: 'single', limits, onWait });
}

/** The pace of a batch. */
export function batchPace(session: Session, checkedTarget: CheckedTarget, limits: readonly KnownPace[]): Pace {
  return new SlidingPace({ ...shared(session, checkedTarget), kind: 'batch', limits });
}

/** Milliseconds: timers may stand still while a computer sleeps. */
const longestSleep = 60_000;

/** A pace that also waits while nothing may be sent, for example until the morning. */
export function pausedPace(pace: ClientPace, closedFor: () => number, later: Later): ClientPace {
  return {
    hold: (milliseconds) => pace.hold(milliseconds),
    async slot(signal, again) {
      for (;;) {
        for (let closed = closedFor(); closed > 0 && !signal.aborted; closed = closedFor())
          await sleep(Math.min(closed, longestSleep), later, AbortSignal.any([signal]));
        const slot = await pace.slot(signal, again);
        if (closedFor() <= 0) return slot;
        slot('unsent');
      }
    },
  };
}

function shared(session: Session, checkedTarget: CheckedTarget) {
  const account = minuteOf(session, checkedTarget);
  const team = teamOf(session, checkedTarget);
  const { host } = session;
  if (team !== undefined) return { host, log: openTeamLog(session, team), account };
  return { host, log: openLog(session), account: `${machineId()} ${account}` };
}

/** The log of a team: its server has the clock, since those of machines differ. It opens beside the record. */
export function openTeamLog({ host, note }: Pick<PaceOptions, 'host'> & Pick<Session, 'note'>, url: string): PaceLog {
  const opened = open();
  opened.catch(() => {});
  return {
    write: async (body, signal) =>
      (await opened).write(function* () {
        const [row] = yield* query(locked);
        return yield* body(Number(row?.['time']));
      }, signal),
    close: async () => (await opened.catch(() => undefined))?.close(),
  };

  async function open(): Promise<Database> {
    const { openPostgres } = await import('../base/postgres.ts');
    const schemas = { schema: paceSchema, schemaName: 'bizmsg_pace' };
    return openPostgres(url, { ...schemas, host, note: (message) => note('pace', message) });
  }
}

/** Machines that asked at the same time would see the same free slot. If the server crashes, it may forget some of them. */
const locked = `SELECT pg_advisory_xact_lock(${postgresLocks.pace}), set_config('synchronous_commit', 'off', true),
  EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS time`;

/** The log of this machine, opened when it is used. */
function openLog({ host, note, stateFolder }: Session): PaceLog {
  let opened: Promise<Database> | undefined;
  const open = () =>
    openDatabase(join(stateFolder(), 'pace.db'), {
      host,
      schema: paceSchema,
      sync: 'OFF',
      isDisposable: true,
      note: (message) => note('pace', message),
    });
  return {
    write: async (body, signal) => (await (opened ??= open())).write(() => body(host.steady()), signal),
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

/** All keys of an account and mode share its minute; those of a sandbox share one. */
function minuteOf({ host }: Session, checkedTarget: CheckedTarget): string {
  const { target, running } = checkedTarget;
  return running?.minute
    ? `sandbox ${new URL(target.baseUrl).origin} ${running.minute.moved}`
    : `${target.mode === 'sandbox' ? 'sandbox' : 'live'} ${accountOf(host.env, checkedTarget)}`;
}

const unknown: Plan = { perMinute: undefined, perMonth: undefined };

/** The plan of the profile, or of the sandbox on this machine. */
export async function planOf({ caller, running }: CheckedTarget): Promise<Plan> {
  const { plan, rate } = caller.kind === 'service' ? caller : {};
  if (plan !== undefined || rate !== undefined) {
    const { perMinute, perMonth } = plan === undefined ? unknown : plans[plan];
    return { perMinute: rate ?? perMinute, perMonth };
  }
  if (!running) return unknown;
  const { openRemote } = await import('../sandbox/remote/remote.ts');
  const { minute, month } = await openRemote(running).ask('usage');
  return { perMinute: minute.limit ?? undefined, perMonth: month.limit ?? undefined };
}

type PlanRate = Pick<Plan, 'perMinute'>;

/** The rest is for other clients of the account. */
const usualShare = 90;

/** Combines --rate and plan; undefined if neither is given, so that only a 429 limits the rate. */
export function paceOf(rate: BatchRate | undefined, { perMinute }: PlanRate): KnownPace | undefined {
  if (rate === 'none') return undefined;
  if (rate && 'window' in rate) return rate;
  const share = rate?.share ?? usualShare;
  if (perMinute !== undefined)
    return { perWindow: Math.max(1, Math.floor((perMinute * share) / 100)), window: minuteLength };
  if (!rate) return undefined;
  throw usage(
    `${share}% refers to the plan's rate limit, and the plan has none or is not known`,
    'use a rate such as 300/m, or set the plan: bizmsg profiles set <name> --plan growth, or bizmsg sandbox set plan=growth',
  );
}

/** A rate counts in the plan's minute, too. The first limit is the lowest in the long run. */
export function limitsOf(pace: KnownPace | undefined, { perMinute }: PlanRate): readonly KnownPace[] {
  if (!pace) return [];
  if (perMinute === undefined) return [pace];
  const minute = { perWindow: perMinute, window: minuteLength };
  if (pace.window === minuteLength) return [pace.perWindow <= perMinute ? pace : minute];
  return pace.perWindow * minuteLength <= perMinute * pace.window ? [pace, minute] : [minute, pace];
}

/** The shortest time in milliseconds for a number of requests; undefined if the rate is not known. */
export function minimumDuration(limits: readonly KnownPace[], requests: number): number | undefined {
  const times = limits.map(({ perWindow, window }) => Math.max(0, Math.ceil(requests / perWindow) - 1) * window);
  return times.length > 0 ? Math.max(...times) : undefined;
}
