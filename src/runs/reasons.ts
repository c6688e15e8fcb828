export interface Reason {
  readonly reason: string;
  readonly count: number;
  /** The line or record of the first row with it; 0 if that is not known. */
  readonly first_line: number;
}

export interface Reasons {
  add(reason: string, line: number): void;
  /** The most frequent first. */
  list(): readonly Reason[];
}

/** Reasons that differ only in values of a single row. */
interface Kind {
  count: number;
  readonly first: number;
  /** The text between the pieces. */
  readonly texts: readonly string[];
  /** Undefined if rows differ. */
  readonly pieces: (string | undefined)[];
  readonly masks: readonly string[];
}

const most = 20;

/** Counts reasons by kind; all kinds after the first twenty are counted as one. */
export function createReasons(): Reasons {
  const kinds = new Map<string, Kind>();
  let [others, firstOther] = [0, 0];
  return {
    add(reason, line) {
      const { texts, pieces, masks } = takenApart(reason);
      const name = [...texts, ...masks].join('\0');
      const kind = kinds.get(name);
      if (kind) join(kind, pieces);
      else if (kinds.size < most) kinds.set(name, { count: 1, first: line, texts, pieces: [...pieces], masks });
      else if (others++ === 0) firstOther = line;
    },
    list() {
      const known = Array.from(kinds.values(), (kind) => ({
        reason: textOf(kind),
        count: kind.count,
        first_line: kind.first,
      }));
      known.sort((a, b) => b.count - a.count);
      return others === 0 ? known : [...known, { reason: 'other reasons', count: others, first_line: firstOther }];
    },
  };
}

function join(kind: Kind, pieces: readonly string[]): void {
  kind.count += 1;
  pieces.forEach((piece, at) => {
    if (kind.pieces[at] !== piece) kind.pieces[at] = undefined;
  });
}

function textOf({ texts, pieces, masks }: Kind): string {
  return texts.map((text, at) => text + (at < masks.length ? (pieces[at] ?? masks[at]) : '')).join('');
}

/** Parts of a reason that may differ from row to row: quoted text, addresses, phones, places, ids, long numbers. */
const piece =
  /"(?:[^"\\]|\\.)*"|[^\s<>()]+@[^\s<>()]+|\+\d{3,}|(?<=\b(?:row|line|record|column) )\d+|\b[\w-]*\d[\w-]{7,}\b|\b\d{4,}\b/g;

function takenApart(reason: string) {
  const [texts, pieces]: [string[], string[]] = [[], []];
  let end = 0;
  for (const { 0: found, index } of reason.matchAll(piece)) {
    texts.push(reason.slice(end, index));
    pieces.push(found);
    end = index + found.length;
  }
  texts.push(reason.slice(end));
  return { texts, pieces, masks: pieces.map(maskOf) };
}

function maskOf(found: string): string {
  if (found.startsWith('"')) return '"…"';
  return found.startsWith('+') ? '+…' : '…';
}
