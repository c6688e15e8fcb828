/** What was over within a span, up to now. */
export interface Recent {
  add(time: number): void;
  count(time: number): number;
  /** When the oldest of them no longer counts; Infinity when there is none. */
  nextAt(): number;
}

interface Mark {
  readonly time: number;
  count: number;
  next: Mark | undefined;
}

/** Those of one millisecond are kept as one, so that no rate makes it large. */
export function createRecent(span: number): Recent {
  let [first, last]: [Mark | undefined, Mark | undefined] = [undefined, undefined];
  let total = 0;
  return {
    add: (given) => {
      const time = Math.ceil(given);
      total += 1;
      if (last && time <= last.time) {
        last.count += 1;
        return;
      }
      const mark = { time, count: 1, next: undefined };
      if (last) last.next = mark;
      first ??= mark;
      last = mark;
    },
    count: (time) => {
      for (; first && first.time + span <= time; first = first.next) total -= first.count;
      if (!first) last = undefined;
      return total;
    },
    nextAt: () => (first ? first.time + span : Infinity),
  };
}
