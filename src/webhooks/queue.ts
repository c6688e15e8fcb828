/** Items from several producers for one consumer, which takes all waiting items together. */
export interface Queue<T> {
  put(items: readonly T[]): void;
  /** Resolves once there is room for more. */
  room(): Promise<void>;
  /** The consumer ends after the items that are waiting, with this error if there is one. */
  end(error?: unknown): void;
  batches(): AsyncGenerator<readonly T[], void>;
}

/** Producers that wait for room continue below this many items. */
const limit = 64;

export function createQueue<T>(): Queue<T> {
  let waiting: T[] = [];
  let ending: { readonly error: unknown } | undefined;
  let wakeConsumer = () => {};
  let wakeProducers: (() => void)[] = [];
  return {
    put(items) {
      waiting.push(...items);
      wakeConsumer();
    },
    async room() {
      if (waiting.length >= limit && !ending) await new Promise<void>((resolve) => wakeProducers.push(resolve));
    },
    end(error) {
      ending ??= { error };
      wakeConsumer();
      letProduce();
    },
    async *batches() {
      for (;;) {
        if (waiting.length > 0) yield take();
        else if (ending?.error !== undefined) throw ending.error;
        else if (ending) return;
        else await new Promise<void>((resolve) => (wakeConsumer = resolve));
      }
    },
  };

  function take(): readonly T[] {
    const taken = waiting;
    waiting = [];
    letProduce();
    return taken;
  }

  function letProduce(): void {
    const woken = wakeProducers;
    wakeProducers = [];
    for (const wake of woken) wake();
  }
}
