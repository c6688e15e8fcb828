import { CliError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { sleep } from '../base/sleep.ts';

export interface OutageOptions {
  readonly host: Pick<Host, 'steady' | 'later'>;
  /** Tries to connect; sends no request. */
  reachable(): Promise<boolean>;
  /** Called when rows may be sent again. */
  resume(): void;
  onOutage?(state: 'gone' | 'back', last?: CliError): void;
  /** Called when it has lasted too long. */
  giveUp(reason: CliError): void;
  crash(error: unknown): void;
}

const [firstDelay, longestDelay] = [500, 15_000];
/** Milliseconds after which the work stops. */
export const longestOutage = 120_000;

/** Holds the work while the service cannot be reached, and tests the connection until it can. */
export class Outage {
  /** Requests without an answer. Requests that left before the latest loss belong to it. */
  losses = 0;
  readonly #options: OutageOptions;
  /** When it began, by the steady clock. */
  #since: number | undefined;
  #delay = firstDelay;
  #holding: AbortController | undefined;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** The number of rows that may be in flight: none during the outage, then one until it is answered. */
  limit(workers: number): number {
    if (this.#holding) return 0;
    return this.#since === undefined ? workers : 1;
  }

  begin(last: CliError): void {
    const { host, onOutage, crash } = this.#options;
    this.losses += 1;
    if (this.#since === undefined) onOutage?.('gone', last);
    this.#since ??= host.steady();
    // If it accepts requests and then resets them, their number ends the work.
    if (last.exit === 'unsure') this.#delay = firstDelay;
    if (this.#holding) return;
    this.#holding = new AbortController();
    this.#hold(last, this.#since + longestOutage, this.#holding.signal).catch(crash);
  }

  /** The service answered. */
  answered(): void {
    if (this.#since !== undefined) this.#options.onOutage?.('back');
    this.end();
  }

  end(): void {
    this.#holding?.abort();
    this.#holding = undefined;
    this.#since = undefined;
    this.#delay = firstDelay;
  }

  async #hold(last: CliError, until: number, over: AbortSignal): Promise<void> {
    const { host, reachable, resume, giveUp } = this.#options;
    for (;;) {
      const remaining = until - host.steady();
      if (remaining <= 0) return giveUp(outageStop(last));
      await sleep(Math.min(this.#delay, remaining), host.later, over);
      this.#delay = Math.min(this.#delay * 2, longestDelay);
      const isReachable = !over.aborted && (await reachable());
      if (over.aborted) return;
      if (isReachable) break;
    }
    this.#holding = undefined;
    resume();
  }
}

/** The remaining rows are known to be unsent, even if the last error leaves its own row unsure. */
function outageStop({ exit, code, message }: CliError): CliError {
  const text = `the service could not be reached for 2 minutes; the last error: ${message}`;
  return new CliError('network', exit === 'network' ? code : 'unreachable', text);
}

export function outageText(state: 'gone' | 'back', last: CliError | undefined): string {
  if (state === 'back') return 'the service answers again';
  return `${last?.message ?? 'the service cannot be reached'}; waiting for it, for 2 minutes at most`;
}
