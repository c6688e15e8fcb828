import { join } from 'node:path';
import { machineId } from '../base/worker.ts';
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
import { accountOf } from './account.ts';
import type { CheckedTarget, Session } from './session.ts';
import { teamOf } from './team.ts';

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
export async function planOf(session: Session, { caller, target, simulated }: CheckedTarget): Promise<Plan> {
  const { plan, rate } = caller.kind === 'service' ? caller : {};
  if (plan !== undefined || rate !== undefined) {
    const { perMinute, perMonth } = plan === undefined ? unknown : plans[plan];
    return { perMinute: rate ?? perMinute, perMonth };
  }
  return simulated ? sandboxPlan(session, target.baseUrl) : unknown;
}

async function sandboxPlan(session: Session, baseUrl: string): Promise<Plan> {
  const sandboxes = await session.sandboxes();
  const running = await sandboxes.at(baseUrl);
  if (!running) return unknown;
  const { openRemote } = await import('../sandbox/remote/remote.ts');
  const { plan } = await openRemote(running).ask('status');
  const { perMinute, perMonth } = plans[plan.name];
  return { perMinute: plan.perMinute ?? perMinute, perMonth: plan.perMonth ?? perMonth };
}
