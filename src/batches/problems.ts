/** Rows with the same problem, apart from the values that it quotes. */
export interface Problem {
  /** The first of them as it is. */
  readonly reason: string;
  readonly count: number;
  /** Places of the first ones. */
  readonly lines: readonly number[];
}

/** The result of copying the rows of a file. */
export interface Copied {
  /** Why rows cannot be sent. */
  readonly problems: readonly Problem[];
  /** Rows that can be sent, and those of them whose numbers are not mobile numbers. */
  readonly sendable: number;
  readonly notMobile: Problem;
}

const mostLines = 3;
const mostKinds = 1_000;

/** Collects why rows cannot be sent, in little memory. */
export class Problems {
  readonly #kinds = new Map<string, { reason: string; count: number; lines: number[] }>();

  add(reason: string, line: number, count = 1): void {
    const key = withoutValues(reason);
    const kind = this.#kinds.get(key);
    if (kind) {
      kind.count += count;
      if (kind.lines.length < mostLines && line > 0) kind.lines.push(line);
    } else if (this.#kinds.size < mostKinds) {
      this.#kinds.set(key, { reason, count, lines: line > 0 ? [line] : [] });
    }
  }

  /** The most frequent first. */
  list(): readonly Problem[] {
    return [...this.#kinds.values()].sort((a, b) => b.count - a.count);
  }
}

function withoutValues(reason: string): string {
  return reason.replace(/"(?:[^"\\]|\\.)*"?/g, '""');
}
