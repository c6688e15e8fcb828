/** Where a character stands next, from a place in a text on. */
export interface FindAhead {
  /** Infinity where it stands no more. */
  (from: number): number;
}

/** Remembers what it found, so that a text without the character is searched once and not once a row. */
export function findAhead(text: string, character: string): FindAhead {
  let [from, found] = [0, -1];
  return (start) => {
    if (start >= from && start <= found) return found;
    const at = text.indexOf(character, start);
    [from, found] = [start, at === -1 ? Infinity : at];
    return found;
  };
}
