/** Warns at most once a second per kind. */
export type Note = (kind: string, text: string) => void;

const interval = 1_000;

export function createNotes(warn: (text: string) => void, now: () => number): Note {
  const kinds = new Map<string, { readonly at: number; skipped: number }>();
  return (kind, text) => {
    const last = kinds.get(kind);
    if (last && Math.abs(now() - last.at) < interval) last.skipped += 1;
    else {
      kinds.set(kind, { at: now(), skipped: 0 });
      warn(last && last.skipped > 0 ? `${text} (and ${last.skipped} similar warnings before)` : text);
    }
  };
}
