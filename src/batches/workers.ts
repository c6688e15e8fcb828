import type { KnownPace } from '../client/pace.ts';

/** Answers whose times count. */
const measured = 32;
/** Answers before the first decision: the first ones also take the time of connecting. */
const enough = 16;
/** Allowance for answers that take longer than usual. */
const spare = 1.25;
const [least, most] = [2, 64];

/** The number of rows in flight: no more than the rate needs, since a crash leaves them unsure. */
export class Workers {
  readonly #rate: KnownPace | undefined;
  readonly #startWith: number;
  /** Milliseconds of the latest answers. */
  readonly #times: number[] = [];
  #answers = 0;
  #count: number;

  constructor(rate: KnownPace | undefined, startWith: number) {
    this.#rate = rate;
    this.#startWith = startWith;
    this.#count = startWith;
  }

  get count(): number {
    return this.#count;
  }

  /** `milliseconds`: from a request to its answer. */
  answered(milliseconds: number): void {
    this.#times[this.#answers % measured] = milliseconds;
    this.#answers += 1;
    this.#count = Math.min(most, Math.max(least, this.#needed()));
  }

  #needed(): number {
    // Without a rate, each answer allows one more.
    if (!this.#rate) return this.#startWith + this.#answers;
    if (this.#answers < enough) return this.#startWith;
    return Math.ceil((this.#rate.perWindow / this.#rate.window) * median(this.#times) * spare);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
