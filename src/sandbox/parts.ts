/** A commit holds no more, so that no line of the journal grows without end. */
const largest = 1_000;

/** In order, as many together as fit. */
export function* inParts<T>(items: Iterable<T>, size = largest): Generator<readonly T[]> {
  let part: T[] = [];
  for (const item of items) {
    if (part.push(item) < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
