/** First in, first out; the cost does not depend on the length. */
export interface Fifo<T> {
  add(item: T): void;
  take(): T | undefined;
}

interface Link<T> {
  readonly item: T;
  next: Link<T> | undefined;
}

export function createFifo<T>(): Fifo<T> {
  let first: Link<T> | undefined;
  let last: Link<T> | undefined;
  return {
    add(item) {
      const link: Link<T> = { item, next: undefined };
      if (last) last.next = link;
      else first = link;
      last = link;
    },
    take() {
      const taken = first;
      first = taken?.next;
      if (!first) last = undefined;
      return taken?.item;
    },
  };
}
