/** Says of each id whether it came before, among the last so many. */
export function createMemory(most: number): (id: string | undefined) => boolean {
  const known = new Set<string>();
  return (id) => {
    if (id === undefined) return false;
    const isKnown = known.delete(id);
    known.add(id);
    const [oldest] = known;
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return isKnown;
  };
}
