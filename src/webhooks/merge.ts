export interface Source<T> {
  /** Nothing in it comes before that place. */
  readonly bound: number;
  open(): Generator<T>;
}

interface Head<T> {
  item: T;
  place: number;
  readonly rest: Generator<T>;
}

/** Items of many sources in the order of their places; a source is not opened before it is due. */
export function* merged<T>(sources: readonly Source<T>[], placeOf: (item: T) => number): Generator<T> {
  const waiting = sources.toSorted((a, b) => b.bound - a.bound);
  const heads = new Set<Head<T>>();
  try {
    for (;;) {
      const head = least(heads);
      const due = waiting.at(-1);
      if (due && (!head || due.bound <= head.place)) {
        waiting.pop();
        begin(due.open());
      } else if (head) {
        yield head.item;
        move(head);
      } else return;
    }
  } finally {
    for (const { rest } of heads) rest.return(undefined);
  }

  function begin(rest: Generator<T>): void {
    const { value, done } = rest.next();
    if (!done) heads.add({ item: value, place: placeOf(value), rest });
  }

  function move(head: Head<T>): void {
    const { value, done } = head.rest.next();
    if (done) heads.delete(head);
    else Object.assign(head, { item: value, place: placeOf(value) });
  }
}

function least<T>(heads: Iterable<Head<T>>): Head<T> | undefined {
  let least: Head<T> | undefined;
  for (const head of heads) if (!least || head.place < least.place) least = head;
  return least;
}
