import type { Book, KnownOwner, Past, PastFacts } from './book.ts';
import { factsOf, type Run } from './run.ts';
import { erased } from './entries.ts';
import { rowSize } from './identity.ts';
import { isLive, isRecent, remembered } from './others.ts';

/** Rows in one change. */
const rowsTogether = 1_024;

/**
 * The time before which only jobs, single messages and unsure rows may still be needed. A run stays as long as one of its
 * processes lives, which may claim its rows at any time.
 */
export function expiredBefore(book: Book, now: number, isAlive: (owner: KnownOwner) => boolean): number {
  const isWorkedOn = (run: Run) => isLive(run, book, { isAlive, isOwn: () => false });
  const isKept = (run: Run) =>
    !run.isForgotten && !run.isSingles && ((run.subject.job === undefined && isRecent(run, now)) || isWorkedOn(run));
  return Math.min(now - remembered, ...[...book.runs.values()].filter(isKept).map(({ startedAt }) => startedAt));
}

/**
 * What has to be kept of the book as it was at the end of old segments: rows that still count now, and the runs and
 * processes that later changes name. Rows keep their positions, since later changes refer to them.
 */
export function remainsOf(past: Book, book: Book, now: number): readonly Past[] {
  const isNamedLater = ({ id }: Run) => (book.runs.get(id)?.lastOrder ?? 0) > past.order();
  const kept = [...past.runs.values()]
    .map((run) => ({ run, rows: rowsOf(past, book, run, now) }))
    .filter(({ run, rows }) => isNamedLater(run) || rows.some(({ bytes }) => bytes.length > 0));
  const needed = new Set(kept.flatMap(({ run }) => [...run.owners].slice(-1)));
  for (let entry = 0; entry < past.entries.count(); entry++) needed.add(past.ownerOf(entry)?.id ?? '');
  const owners = [...past.owners.values()].filter(({ id, state }) => state === 'active' || needed.has(id));
  const known = new Set(owners.map(({ id }) => id));
  return [
    ...owners.map((owner): Past => ({ type: 'past-owner', owner })),
    ...kept.flatMap(({ run, rows }): readonly Past[] => {
      const facts = factsOf(run);
      return [{ type: 'past-run', run: { ...facts, owners: facts.owners.filter((id) => known.has(id)) } }, ...rows];
    }),
    { type: 'past-end', order: past.order(), lastAt: past.lastAt() },
  ];
}

type PastRows = Extract<Past, { type: 'past-rows' }>;

/** Rows with equal facts that follow each other go together. */
function rowsOf(past: Book, book: Book, run: Run, now: number): readonly PastRows[] {
  const changes: PastRows[] = [];
  const together = new Uint8Array(rowsTogether * rowSize);
  let [skip, count] = [0, 0];
  let facts: PastFacts = { state: 'absent', time: 0, order: 0, owner: undefined };
  for (let position = 0; position < run.rows.count(); position++) {
    const entry = run.rows.entryAt(position);
    if (entry === -1 || !isNeeded(book, run, position, now)) {
      flush();
      skip += 1;
      continue;
    }
    const own = factsIn(past, entry);
    if (count === rowsTogether || !isEqual(own, facts)) flush();
    facts = own;
    past.entries.read(entry, together, count++ * rowSize);
  }
  flush();
  if (skip > 0) changes.push({ type: 'past-rows', run: run.id, skip, bytes: new Uint8Array(0), ...facts });
  return changes;

  function flush(): void {
    if (count === 0) return;
    const bytes = together.slice(0, count * rowSize);
    changes.push({ type: 'past-rows', run: run.id, skip, bytes, ...facts });
    [skip, count] = [0, 0];
  }
}

/** Whether the row, as it is now, still counts. */
function isNeeded({ runs, entries }: Book, { id }: Run, position: number, now: number): boolean {
  const run = runs.get(id);
  const entry = run?.rows.entryAt(position) ?? -1;
  if (!run || run.isForgotten || entry === -1 || entries.scopeOf(entry) === erased) return false;
  const state = entries.stateOf(entry);
  if (state === 'unsure' || state === 'leaving') return true;
  return run.isSingles ? entries.timeOf(entry) * 1_000 > now - remembered : isRecent(run, now);
}

function factsIn({ entries, ownerOf }: Book, entry: number): PastFacts {
  return {
    state: entries.stateOf(entry),
    time: entries.timeOf(entry),
    order: entries.orderOf(entry),
    owner: ownerOf(entry)?.id,
  };
}

function isEqual(one: PastFacts, other: PastFacts): boolean {
  const isSameChange = one.order === other.order && one.time === other.time && one.state === other.state;
  return isSameChange && one.owner === other.owner;
}
