/** Says what goes wrong, but of each kind no more than one in a while. */
export type Note = (kind: string, text: string) => void;

const interval = 1_000;

export function createNotes(warn: (text: string) => void, now: () => number): Note {
  const said = new Map<string, { readonly at: number; unsaid: number }>();
  return (kind, text) => {
    const last = said.get(kind);
    if (last && Math.abs(now() - last.at) < interval) last.unsaid += 1;
    else {
      said.set(kind, { at: now(), unsaid: 0 });
      warn(last && last.unsaid > 0 ? `${text} (and ${last.unsaid} more like it before)` : text);
    }
  };
}
