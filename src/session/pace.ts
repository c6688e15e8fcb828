import { join } from 'node:path';
import { CliError } from '../base/errors.ts';
import { fsError } from '../base/files.ts';
import { machineId } from '../base/liveness.ts';
import { createMinuteFile } from '../client/pace/minute-file.ts';
import type { Grant, Report } from '../client/pace/minute.ts';
import {
  createPace,
  type KnownPace,
  minuteLength,
  type Pace,
  type PaceOptions,
  type ProcessPace,
} from '../client/pace/pace.ts';
import { createSharedGate } from '../client/pace/shared-gate.ts';
import { type Plan, plans } from '../contract/plans.ts';
import { stateFolder } from './profiles/environment.ts';
import { sharedRate } from './connect.ts';
import type { CheckedTarget, Session } from './session.ts';

interface Shared extends Pick<CheckedTarget, 'target' | 'running'> {
  /** In milliseconds. */
  readonly window: number;
  readonly kind: Report['kind'];
  /** With this many requests in a window, of all processes, this one waits. */
  readonly limit: number;
  readonly onWait: (milliseconds: number, why: string) => void;
}

/** The pace of single requests. */
export function singlePace(session: Session, checkedTarget: CheckedTarget, rate: number): Pace {
  const { host, note } = session;
  const onWait = (milliseconds: number, why: string) => {
    note('waiting', `${why}; going on in ${(milliseconds / 1000).toFixed(1)} s`);
  };
  const options = { ...checkedTarget, kind: 'single', limit: rate, window: minuteLength, onWait } as const;
  return createPace({ now: host.steady, later: host.later, shared: sharedGate(session, options) });
}

/** Makes this process wait for other processes of this machine that use the same key. */
function sharedGate(session: Session, shared: Shared): PaceOptions['shared'] {
  const { env, home, steady: now, later, random, pid, kill } = session.host;
  const { window } = shared;
  const note = (message: string) => session.note('pace', message);
  const folder = join(stateFolder(env, home), 'pace');
  const onDamaged = () => note(`the file that shares the plan's pace was damaged and starts again, in ${folder}`);
  const name = nameFor(shared);
  const minute = createMinuteFile({ folder, name, window, owner: { pid, kill }, now, later, random, onDamaged });
  const onFailure = (error: unknown) => note(`the plan's pace is not shared with other processes: ${reasonOf(error)}`);
  const onWait = (milliseconds: number, why: Grant['why']) => shared.onWait(milliseconds, reasonFor(why, shared));
  const options = { ...shared, minute, now, later, onWait, onFailure };
  return (changed) => createSharedGate(options, changed);
}

/** `limit` counts all requests of this machine, also earlier ones of the same command. */
function reasonFor(why: Grant['why'], { limit, window }: Pick<Shared, 'limit' | 'window'>): string {
  if (why === 'held') return 'the service made another process on this machine wait';
  return `the limit of ${limit} requests ${window === minuteLength ? 'a minute' : 'of this window'} is used up on this machine`;
}

/**
 * Distinguishes the few keys of a machine without revealing them. Two keys with the same name would only share a pace,
 * so a cheap hash suffices (node:crypto takes 2 ms to load). Machines do not share it: their clocks differ.
 */
function nameFor({ target: { baseUrl, key }, running, window }: Shared): string {
  // A sandbox has one limit for all keys.
  const account = running?.minute ? `sandbox ${running.minute.moved}` : key;
  const other = window === minuteLength ? [] : [String(window)];
  const parts = ['bizmsg pace 1', machineId(), new URL(baseUrl).origin, account, ...other];
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(parts.join('\n'))) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return sum.toString(16).padStart(8, '0');
}

function reasonOf(error: unknown): string {
  if (error instanceof CliError) return error.message;
  return fsError(error)?.reason ?? String(error);
}

interface Paced extends Pick<Shared, 'onWait'> {
  readonly checkedTarget: CheckedTarget;
  readonly known: KnownPace | undefined;
  readonly closedFor?: (() => number) | undefined;
}

/**
 * The pace of a run: its own rate, and the rate that all processes of this machine share. Without a plan they share the
 * window of `--rate`, so that a run that was killed and restarted does not start with a full window.
 */
export function runPace(session: Session, { checkedTarget, known, onWait, closedFor }: Paced): ProcessPace {
  const { host, given } = session;
  const own = { ...known, now: host.steady, later: host.later, closedFor };
  if (!known) return createPace(own);
  const perMinute = Math.max(1, Math.floor((known.perWindow * minuteLength) / known.window));
  const isOfPlan = sharedRate(given, checkedTarget) !== undefined;
  const [limit, window] = isOfPlan ? [perMinute, minuteLength] : [known.perWindow, known.window];
  const shared = { ...checkedTarget, kind: 'run', limit, window, onWait } as const;
  return createPace({ ...own, shared: sharedGate(session, shared) });
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
