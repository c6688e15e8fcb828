import { join } from 'node:path';
import { createPace, type Gate, type Pace } from '../client/pace/pace.ts';
import { createFileLedger } from '../client/pace/minute-file.ts';
import type { Granted, Share } from '../client/pace/minute.ts';
import { createSharedGate } from '../client/pace/shared-gate.ts';
import { CliError } from '../base/errors.ts';
import { fileFault } from '../base/files.ts';
import type { Target } from '../session/profiles/resolve.ts';
import { machineId } from '../base/liveness.ts';
import { stateFolder } from '../session/profiles/environment.ts';
import type { Minute } from '../sandbox/remote/minute.ts';
import type { Line } from './approached.ts';

export interface Shared {
  readonly target: Target;
  /** Of the sandbox that is called. */
  readonly minute: Minute | undefined;
  /** What the plan takes in a minute; without a plan, what `--rate` takes in its window. */
  readonly rate: number;
  /** In milliseconds. */
  readonly window: number;
  readonly kind: Share['kind'];
  /** How much of it this one may take. */
  readonly limit: number;
  readonly onWait: (milliseconds: number, why: string) => void;
}

// §8
const minuteWindow = 60_000;

/** The pace of single requests. */
export function singlePace(line: Line, { target, minute }: Pick<Shared, 'target' | 'minute'>, rate: number): Pace {
  const { host, given, reporter } = line;
  const onWait = (milliseconds: number, why: string) => {
    if (!given.quiet) reporter.note('waiting', `${why}; going on in ${(milliseconds / 1000).toFixed(1)} s`);
  };
  const shared = sharedGate(line, { target, minute, rate, kind: 'single', limit: rate, window: minuteWindow, onWait });
  return createPace({ now: host.steady, later: host.later, shared });
}

/** What has this process wait for the others of this machine that use the same key. */
export function sharedGate({ host, given, reporter }: Line, shared: Shared): (changed: () => void) => Gate {
  const { steady: now, later, random, pid, kill } = host;
  const { window } = shared;
  const note = (message: string) => {
    if (!given.quiet) reporter.note('pace', message);
  };
  const folder = join(stateFolder(host.env, host.home), 'pace');
  const onDamaged = () => note(`the file that shares the plan's pace was damaged and is begun anew, in ${folder}`);
  const ledger = createFileLedger({
    folder,
    name: nameFor(shared),
    window,
    owner: { pid, kill },
    now,
    later,
    random,
    onDamaged,
  });
  const onFailure = (error: unknown) => note(`the plan's pace is not shared with other processes: ${reasonOf(error)}`);
  const onWait = (milliseconds: number, why: Granted['why']) => shared.onWait(milliseconds, reasons[why](shared));
  const options = { ...shared, ledger, window, now, later, onWait, onFailure };
  return (changed) => createSharedGate(options, changed);
}

const reasons: Readonly<Record<Granted['why'], (shared: Shared) => string>> = {
  full: ({ rate, window }) =>
    window === minuteWindow
      ? `other processes have taken the plan's ${rate} requests a minute`
      : `other processes have taken the ${rate} requests of this window`,
  held: () => 'the service had another process on this machine wait',
};

/**
 * Tells the few keys of a machine apart, and says nothing of them: two that come to the same would only share a pace. A
 * real digest would cost 2 ms. Containers of one machine share it; another machine has another clock.
 */
function nameFor({ target: { baseUrl, key }, minute, window }: Shared): string {
  // A sandbox counts all keys together.
  const account = minute ? `sandbox ${minute.moved}` : key;
  const other = window === minuteWindow ? [] : [String(window)];
  const parts = ['bizmsg pace 1', machineId(), new URL(baseUrl).origin, account, ...other];
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(parts.join('\n'))) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return sum.toString(16).padStart(8, '0');
}

function reasonOf(error: unknown): string {
  if (error instanceof CliError) return error.message;
  return fileFault(error)?.reason ?? String(error);
}
