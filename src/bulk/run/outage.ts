import type { CliError } from '../../errors.ts';
import type { Later } from '../../journal.ts';
import type { Stopped } from './records.ts';

export interface Clock {
  /** The time of day. */
  now(): number;
  /** Milliseconds of a clock that is never set. */
  steady(): number;
  readonly later: Later;
}

export interface OutageOptions {
  readonly clock: Clock;
  /** Tries to connect. */
  readonly reachable: () => Promise<boolean>;
  /** Rows may be sent again. */
  readonly goOn: () => void;
  /** Told when one begins, and when the service answers again. */
  readonly onOutage?: ((state: 'gone' | 'back', last?: CliError) => void) | undefined;
  /** It lasts too long. */
  readonly giveUp: (last: CliError) => void;
  readonly crash: (error: unknown) => void;
}

export interface Outage {
  /** How many rows may be on their way: none while nobody is there, and one to see whether somebody is. */
  width(concurrency: number): number;
  begin(last: CliError): void;
  /** An answer came. */
  over(): void;
  /** Nobody cares any more. */
  end(): void;
}

const [firstDelay, longestDelay, longest] = [500, 15_000, 120_000];

export function createOutage({ clock, reachable, goOn, onOutage, giveUp, crash }: OutageOptions): Outage {
  let [since, delay]: [number | undefined, number] = [undefined, firstDelay];
  let holding: AbortController | undefined;
  let latest: CliError | undefined;
  return {
    width: (concurrency) => (holding ? 0 : since === undefined ? concurrency : 1),
    begin(last) {
      latest = last;
      if (since === undefined) onOutage?.('gone', last);
      since ??= clock.steady();
      if (holding) return;
      holding = new AbortController();
      hold(since, holding.signal).catch(crash);
    },
    over() {
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

  async function hold(since: number, off: AbortSignal): Promise<void> {
    for (;;) {
      const left = since + longest - clock.steady();
      if (left <= 0) return latest && giveUp(latest);
      await pause(Math.min(delay, left), clock.later, off);
      if (off.aborted) return;
      delay = Math.min(delay * 2, longestDelay);
      if (!(await reachable())) continue;
      if (off.aborted) return;
      holding = undefined;
      return goOn();
    }
  }
}

/** Whatever was lost before: what is not sent now is known to be unsent. */
export function givenUp({ exit, code, message }: CliError): Stopped {
  const hint = 'nothing more was sent; --resume goes on when the service can be reached';
  const told = `nobody could be reached for 2 minutes; the last: ${message}`;
  return { exit: 'network', code: exit === 'network' ? code : 'unreachable', message: told, hint };
}

function pause(milliseconds: number, later: Later, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      callOff();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const callOff = later(milliseconds, end);
    signal.addEventListener('abort', end);
  });
}
