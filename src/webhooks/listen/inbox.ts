/** What several have to say, for one who takes it at his own pace. */
export interface Inbox<T> {
  put(item: T): void;
  /** Resolves once few are waiting. */
  room(): Promise<void>;
  /** Nothing more comes; what is waiting is still taken, and then the error, if there is one. */
  end(error?: unknown): void;
  taken(): AsyncGenerator<T, void>;
}

const few = 64;

export function createInbox<T>(): Inbox<T> {
  let waiting: T[] = [];
  let ending: { readonly error: unknown } | undefined;
  let wakeTaker = () => {};
  let wakePutters: (() => void)[] = [];
  return {
    put(item) {
      waiting.push(item);
      wakeTaker();
    },
    async room() {
      if (waiting.length >= few && !ending) await new Promise<void>((resolve) => wakePutters.push(resolve));
    },
    end(error) {
      ending ??= { error };
      wakeTaker();
      letPut();
    },
    taken,
  };

  async function* taken(): AsyncGenerator<T, void> {
    for (;;) {
      const all = waiting;
      waiting = [];
      letPut();
      yield* all;
      if (waiting.length > 0) continue;
      if (ending?.error !== undefined) throw ending.error;
      if (ending) return;
      await new Promise<void>((resolve) => (wakeTaker = resolve));
    }
  }

  function letPut(): void {
    const woken = wakePutters;
    wakePutters = [];
    for (const wake of woken) wake();
  }
}
