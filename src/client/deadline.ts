/** The part of an AbortSignal that requests need. */
export interface Stop {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Aborted on timeout or when the user ends the process. */
export interface Deadline extends Stop {
  release(): void;
}

const longest = 2 ** 31 - 1;

/** Creates deadlines that share one timer and one listener on the user's signal, for thousands of requests per second. */
export function createDeadlines(user: AbortSignal, steady: () => number): (milliseconds: number) => Deadline {
  const open = new Set<Entry>();
  let timer: NodeJS.Timeout | undefined;
  let next = Number.POSITIVE_INFINITY;

  const arm = (due: number, now: number) => {
    clearTimeout(timer);
    next = due;
    timer = setTimeout(expire, Math.ceil(due - now)).unref();
  };
  const expire = () => {
    const now = steady();
    const expired = Array.from(open).filter((entry) => entry.due <= now);
    for (const entry of expired.sort((a, b) => a.due - b.due)) entry.expire();
    // After Ctrl-Z and fg, timers fire before sockets are read, whose answers may have arrived in time.
    setImmediate(() => {
      for (const entry of expired) if (open.has(entry)) entry.abort();
    });
    next = Number.POSITIVE_INFINITY;
    for (const { due } of open) next = Math.min(next, due);
    // A timer may fire a fraction early.
    if (next < Number.POSITIVE_INFINITY) arm(next, now);
  };
  const abortAll = () => {
    for (const entry of open) entry.abort();
  };
  const close = (entry: Entry) => {
    open.delete(entry);
    if (open.size === 0) user.removeEventListener('abort', abortAll);
  };

  return (milliseconds) => {
    const now = steady();
    const entry = new Entry(now + Math.min(milliseconds, longest), close);
    if (open.size === 0) user.addEventListener('abort', abortAll);
    open.add(entry);
    if (entry.due < next) arm(entry.due, now);
    if (user.aborted) entry.abort();
    return entry;
  };
}

/** Replaces an AbortController, which costs more than everything else we do for a request. Only its request listens. */
class Entry implements Deadline {
  due: number;
  /** Nothing is sent from then on. */
  aborted = false;
  readonly #close: (entry: Entry) => void;
  #listener: (() => void) | undefined;

  constructor(due: number, close: (entry: Entry) => void) {
    this.due = due;
    this.#close = close;
  }

  /** An answer that is read before `abort` still counts. */
  expire(): void {
    this.aborted = true;
    this.due = Number.POSITIVE_INFINITY;
  }

  abort(): void {
    this.aborted = true;
    this.#close(this);
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.();
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listener = listener;
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined;
  }

  release(): void {
    this.#close(this);
  }
}
