export interface Reason {
  readonly reason: string;
  readonly count: number;
}

export interface Reasons {
  add(reason: string): void;
  /** The most frequent first. */
  list(): readonly Reason[];
}

const most = 20;

/** Counts reasons of one kind together; what comes after the first twenty kinds is one more. */
export function createReasons(): Reasons {
  const counts = new Map<string, number>();
  let others = 0;
  return {
    add(reason) {
      const kind = kindOf(reason);
      const count = counts.get(kind);
      if (count === undefined && counts.size >= most) others += 1;
      else counts.set(kind, (count ?? 0) + 1);
    },
    list() {
      const known = Array.from(counts, ([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count);
      return others === 0 ? known : [...known, { reason: 'other reasons', count: others }];
    },
  };
}

/** Without what is of one row alone: what is quoted, phones, addresses, ids and long numbers. */
export function kindOf(reason: string): string {
  return reason
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/[^\s<>()]+@[^\s<>()]+/g, '…')
    .replace(/\+\d{3,}/g, '+…')
    .replace(/\b(row|line|column) \d+/g, '$1 …')
    .replace(/\b[\w-]*\d[\w-]{7,}\b|\b\d{4,}\b/g, '…');
}
