import { join } from 'node:path';
import { CliError, fsError } from '../base/errors.ts';
import { machineId } from '../base/liveness.ts';
import { openDatabase } from '../base/sqlite.ts';
import type { Grant, SlotSource } from '../client/pace/minute.ts';
import { type KnownPace, minuteLength, type Pace, type ProcessPace } from '../client/pace/pace.ts';
import { createSharedSlots, paceSchema } from '../client/pace/shared-slots.ts';
import { createPace } from '../client/pace/slots.ts';
import { type Plan, plans } from '../contract/plans.ts';
import { sharedRate } from './shared-rate.ts';
import { environmentAccount } from './profiles/environment.ts';
import type { CheckedTarget, Session } from './session.ts';
import { teamOf } from './team.ts';

type OnWait = (milliseconds: number, why: string) => void;

/** The pace of single requests. */
export async function singlePace(session: Session, checkedTarget: CheckedTarget, rate: number): Promise<Pace> {
  const { later } = session.host;
  const limit = { perWindow: rate, window: minuteLength };
  const { source, now } = await sharedSlots(session, checkedTarget, limit);
  const onWait = (milliseconds: number, why: string) => {
    session.note('waiting', `${why}; going on in ${(milliseconds / 1000).toFixed(1)} s`);
  };
  return createPace({ kind: 'single', limits: [limit], source, now, later, onWait: withReason(limit, onWait) });
}

interface Paced {
  readonly checkedTarget: CheckedTarget;
  readonly known: KnownPace | undefined;
  readonly onWait: OnWait;
  readonly closedFor?: (() => number) | undefined;
}

/**
 * The pace of a run, which all processes of this machine share. Without a plan they share the window of `--rate`, so that
 * a run that was killed and restarted does not start with a full window.
 */
export async function runPace(
  session: Session,
  { checkedTarget, known, onWait, closedFor }: Paced,
): Promise<ProcessPace> {
  const { steady, later } = session.host;
  if (!known) return createPace({ now: steady, later, closedFor });
  const perMinute = Math.max(1, Math.floor((known.perWindow * minuteLength) / known.window));
  const isOfPlan = sharedRate(session.given, checkedTarget) !== undefined;
  const longest = isOfPlan ? { perWindow: perMinute, window: minuteLength } : known;
  const limits = longest.window > known.window ? [longest, known] : [known];
  const { source, now } = await sharedSlots(session, checkedTarget, longest);
  return createPace({ now, later, closedFor, limits, source, onWait: withReason(longest, onWait) });
}

/** Makes this process wait for other processes that use the same key: those of this machine, or of the team. */
async function sharedSlots(session: Session, checkedTarget: CheckedTarget, { window }: KnownPace): Promise<Shared> {
  const { host } = session;
  const team = await teamOf(session, checkedTarget);
  const note = (message: string) => session.note('pace', message);
  const options = { host, schema: paceSchema, sync: 'OFF', isDisposable: true, patience: 5_000, note } as const;
  const open = () => openDatabase(join(session.stateFolder(), 'pace.db'), options);
  const now = team ? team.server.now : host.steady;
  const source = createSharedSlots({
    open: team ? async () => team.server.database((await import('./team-ledger.ts')).paceLock) : open,
    account: team ? teamAccount(session, checkedTarget, window) : accountFor(checkedTarget, window),
    pid: host.pid,
    kill: host.kill,
    // Earlier than now, while the end of requests is reported later: their difference must not let a slot be used too early.
    now: team ? team.server.begunAt : host.steady,
    random: host.random,
    onFailure: (error) => note(`the plan's pace is not shared with other processes: ${reasonOf(error)}`),
  });
  return { source, now };
}

interface Shared {
  readonly source: SlotSource;
  /** The clock of all that share it. */
  readonly now: () => number;
}

/** Machines may have different keys of one account. */
function teamAccount({ host }: Session, { target: { baseUrl, mode } }: CheckedTarget, window: number): string {
  return [environmentAccount(host.env) ?? new URL(baseUrl).origin, mode === 'sandbox' ? mode : 'live', window].join(
    ' ',
  );
}

/** `limit` counts all requests of this machine, also earlier ones of the same command. */
function withReason({ perWindow, window }: KnownPace, onWait: OnWait) {
  const unit = window === minuteLength ? 'a minute' : 'of this window';
  const full = `the limit of ${perWindow} requests ${unit} is used up on this machine`;
  const held = 'the service made another process on this machine wait';
  return (milliseconds: number, why: Grant['why']) => onWait(milliseconds, why === 'held' ? held : full);
}

/**
 * Distinguishes the few keys of a machine without revealing them. Two keys with the same name would only share a pace,
 * so a cheap hash suffices (node:crypto takes 2 ms to load). Machines do not share it: their clocks differ.
 */
function accountFor({ target: { baseUrl, key }, running }: CheckedTarget, window: number): string {
  // A sandbox has one limit for all keys.
  const account = running?.minute ? `sandbox ${running.minute.moved}` : key;
  const parts = [machineId(), new URL(baseUrl).origin, account, window];
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(parts.join('\n'))) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return sum.toString(16).padStart(8, '0');
}

function reasonOf(error: unknown): string {
  if (error instanceof CliError) return error.message;
  return fsError(error)?.reason ?? String(error);
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
  const locator = sandboxes.at(baseUrl);
  if (!locator) return unknown;
  const { openRemote } = await import('../sandbox/remote/remote.ts');
  const { plan } = await openRemote(await sandboxes.proven(locator)).ask('status');
  const { perMinute, perMonth } = plans[plan.name];
  return { perMinute: plan.perMinute ?? perMinute, perMonth: plan.perMonth ?? perMonth };
}
