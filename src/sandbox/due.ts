interface Due {
  readonly at: number;
  readonly run: () => unknown;
  /** Called off: it is dropped when it comes to the front. */
  off?: true;
}

export interface DueQueue {
  add(due: Due): void;
  remove(due: Due): void;
  /** Takes out the earliest that is due by then; of equals, the one added first. */
  takeBy(time: number): Due | undefined;
  /** When the earliest is due. */
  firstAt(): number | undefined;
}

interface Entry {
  readonly due: Due;
  readonly ordinal: number;
}

/** A binary heap: what waits may be a month of receipts. */
export function createDueQueue(): DueQueue {
  const heap: Entry[] = [];
  let ordinal = 0;
  return {
    firstAt() {
      for (let first = heap[0]; first?.due.off; first = heap[0]) sink(heap);
      return heap[0]?.due.at;
    },
    add(due) {
      rise(heap, { due, ordinal: ordinal++ });
    },
    remove(due) {
      due.off = true;
    },
    takeBy(time) {
      for (let first = heap[0]; first && first.due.at <= time; first = heap[0]) {
        sink(heap);
        if (!first.due.off) return first.due;
      }
      return undefined;
    },
  };
}

function rise(heap: Entry[], entry: Entry): void {
  let place = heap.length;
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap[above];
    if (!parent || !isBefore(entry, parent)) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = entry;
}

/** Drops the first: the last takes its place and sinks to where it belongs. */
function sink(heap: Entry[]): void {
  const entry = heap.pop();
  if (!entry || heap.length === 0) return;
  let place = 0;
  for (;;) {
    const left = place * 2 + 1;
    const [a, b] = [heap[left], heap[left + 1]];
    const child = b && a && isBefore(b, a) ? { entry: b, place: left + 1 } : { entry: a, place: left };
    if (!child.entry || !isBefore(child.entry, entry)) break;
    heap[place] = child.entry;
    place = child.place;
  }
  heap[place] = entry;
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.due.at === b.due.at ? a.ordinal < b.ordinal : a.due.at < b.due.at;
}
