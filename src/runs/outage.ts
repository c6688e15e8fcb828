import { type Later, sleep } from '../base/sleep.ts';
import type { CliError } from '../base/errors.ts';
import type { Stopped } from './stop.ts';

export interface Clock {
  /** The time of day. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  steady(): number;
  readonly later: Later;
}

export interface OutageOptions {
  readonly clock: Clock;
  /** Tries to connect; sends no request. */
  readonly reachable: () => Promise<boolean>;
  /** Called when rows may be sent again. */
  readonly resume: () => void;
  readonly onOutage?: ((state: 'gone' | 'back', last?: CliError) => void) | undefined;
  /** Called when it has lasted too long. */
  readonly giveUp: (last: CliError) => void;
  readonly crash: (error: unknown) => void;
}

/** Holds a run while the service cannot be reached, and tests the connection until it can. */
export interface Outage {
  /** The number of rows that may be in flight: none during the outage, then one until it is answered. */
  limit(concurrency: number): number;
  begin(last: CliError): void;
  /** The service answered. */
  answered(): void;
  end(): void;
}

const [firstDelay, longestDelay] = [500, 15_000];
/** Milliseconds after which the run stops. */
export const longestOutage = 120_000;

export function createOutage({ clock, reachable, resume, onOutage, giveUp, crash }: OutageOptions): Outage {
  let [since, delay]: [number | undefined, number] = [undefined, firstDelay];
  let holding: AbortController | undefined;
  let latest: CliError | undefined;
  return {
    limit: (concurrency) => (holding ? 0 : since === undefined ? concurrency : 1),
    begin(last) {
      latest = last;
      if (since === undefined) onOutage?.('gone', last);
      since ??= clock.steady();
      if (holding) return;
      holding = new AbortController();
      hold(since, holding.signal).catch(crash);
    },
    answered() {
      if (since === undefined) return;
      onOutage?.('back');
      end();
    },
    end,
  };

  function end(): void {
    holding?.abort();
    [holding, since, delay] = [undefined, undefined, firstDelay];
  }

  async function hold(since: number, over: AbortSignal): Promise<void> {
    for (;;) {
      const left = since + longestOutage - clock.steady();
      if (left <= 0) return latest && giveUp(latest);
      await sleep(Math.min(delay, left), clock.later, over);
      if (over.aborted) return;
      delay = Math.min(delay * 2, longestDelay);
      if (!(await reachable())) continue;
      if (over.aborted) return;
      holding = undefined;
      return resume();
    }
  }
}

/** The remaining rows are known to be unsent, even if the last error leaves its own row unsure. */
export function outageStop({ exit, code, message }: CliError): Stopped {
  const text = `the service could not be reached for 2 minutes; the last error: ${message}`;
  return { exit: 'network', code: exit === 'network' ? code : 'unreachable', message: text };
}

export function outageText(state: 'gone' | 'back', last: CliError | undefined): string {
  if (state === 'back') return 'the service answers again';
  return `${last?.message ?? 'the service cannot be reached'}; waiting for it, for 2 minutes at most`;
}
