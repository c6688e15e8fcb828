import { bytes } from '../../base/redis.ts';
import { type Book, createBook } from '../book.ts';
import { isFinished } from '../run.ts';
import { digestSize, rowSize } from '../identity.ts';
import type { RunPlan } from '../ledger.ts';
import type { World } from '../others.ts';
import { ownerId, readRuns, recordsOf, rowsInCall, rowsOf, type ServerRecord, type ServerRun } from './runs.ts';
import type { Server } from './server.ts';

/** The part of the ledger that decides about an input, as it is on the server at one moment. */
export interface Snapshot {
  readonly book: Book;
  readonly world: World;
  readonly registrations: number;
  /** The changes that it includes. Claims find later changes of others. */
  readonly order: number;
}

/**
 * Reads the rows of the runs that the input may continue, and those of other runs that are equal to a row of the
 * input. So the rules are decided by the same functions as on one machine.
 */
export async function readSnapshot(server: Server, plan: RunPlan): Promise<Snapshot> {
  const { runs, registrations } = await readRuns(server);
  const order = server.order();
  const book = createBook();
  for (const { owners } of runs) for (const owner of owners) book.apply({ type: 'past-owner', owner });
  for (const { facts } of runs) book.apply({ type: 'past-run', run: facts });
  const latest = plan.kind === 'contact' ? await latestRows(server, plan) : undefined;
  const whole = runs.filter((run) => mayContinue(run, plan));
  for (const run of whole) await addWhole(server, book, run, latest);
  await addEqual(server, book, runs, new Set(whole.map(({ number }) => number)), plan, latest);
  for (const { facts, counts } of runs) Object.assign(book.runs.get(facts.id)?.counts ?? {}, counts);
  book.apply({ type: 'past-end', order });
  const own = ownerId(server.worker());
  const world = { now: server.now(), owner: own, isOwn: (id: string) => id === own, isAlive: () => true };
  return { book, world, registrations, order };
}

/** At least the runs that `rules.ts` may choose. */
function mayContinue(
  { facts, counts, owners, isSingles }: ServerRun,
  { mode, kind, template, job, choice }: RunPlan,
): boolean {
  const { subject } = facts;
  if (isSingles || !facts.isCommitted || subject.mode !== mode || subject.kind !== kind || subject.job !== job)
    return false;
  if (job !== undefined) return true;
  if (subject.template !== template || facts.isClosed) return false;
  return (
    !isFinished({ counts }) || owners.at(-1)?.state === 'dead' || (choice.retryUnsure === true && counts.unsure > 0)
  );
}

async function addWhole(server: Server, book: Book, run: ServerRun, latest: LatestRows | undefined): Promise<void> {
  for await (const rows of rowsOf(server, run)) {
    const records = await recordsOf(server, rows, run.facts.id);
    const adding = addingTo(book, latest);
    records.forEach(([record], row) => {
      adding.add(run, rows.subarray(row * rowSize, (row + 1) * rowSize), record ?? missing(run.number));
    });
    adding.flush();
  }
}

/** A row that was erased, or whose registration is not complete. */
function missing(run: number): ServerRecord {
  return { run, state: 'absent', time: 0, order: 0, owner: 0 };
}

async function addEqual(
  server: Server,
  book: Book,
  runs: readonly ServerRun[],
  whole: ReadonlySet<number>,
  { input }: RunPlan,
  latest: LatestRows | undefined,
): Promise<void> {
  if (runs.every(({ number }) => whole.has(number))) return;
  const byNumber = new Map(runs.map((run) => [run.number, run]));
  const adding = addingTo(book, latest);
  const added = new Set<string>();
  for (let from = 0; from < input.count; from += rowsInCall)
    await addRows(input.bytes.subarray(from * rowSize, Math.min(from + rowsInCall, input.count) * rowSize));
  for (const rows of latest?.others(input) ?? []) await addRows(rows);
  adding.flush();

  async function addRows(rows: Uint8Array): Promise<void> {
    const records = await recordsOf(server, rows);
    records.forEach((own, row) => {
      const bytes = rows.subarray(row * rowSize, (row + 1) * rowSize);
      for (const record of own) {
        const run = byNumber.get(record.run);
        if (!run || whole.has(record.run) || isAdded(bytes, record)) continue;
        adding.add(run, bytes, record);
      }
    });
  }

  /** The input may have a row several times. */
  function isAdded(bytes: Uint8Array, { run }: ServerRecord): boolean {
    const key = `${run} ${Buffer.from(bytes).toString('latin1')}`;
    if (added.has(key)) return true;
    added.add(key);
    return false;
  }
}

/** Adds rows to a book. Rows with equal facts that follow each other go together. */
function addingTo(book: Book, latest: LatestRows | undefined) {
  let run: ServerRun | undefined;
  let facts: ServerRecord | undefined;
  let isLatest = false;
  let rows: Uint8Array[] = [];
  return { add, flush };

  function add(next: ServerRun, row: Uint8Array, record: ServerRecord): void {
    const isNextLatest = latest?.has(row, record.run) ?? false;
    if (run !== next || isNextLatest !== isLatest || !facts || !isEqual(facts, record)) flush();
    [run, facts, isLatest] = [next, record, isNextLatest];
    rows.push(row);
  }

  function flush(): void {
    if (!run || !facts || rows.length === 0) return;
    const { state, time, order, owner } = facts;
    const claimant = state === 'leaving' || state === 'unsure' ? ownerId(owner) : undefined;
    const change = { run: run.facts.id, skip: 0, bytes: Buffer.concat(rows), state, time, order, isLatest };
    book.apply({ type: 'past-rows', ...change, owner: claimant });
    rows = [];
  }
}

function isEqual(one: ServerRecord, other: ServerRecord): boolean {
  return one.state === other.state && one.time === other.time && one.order === other.order && one.owner === other.owner;
}

/** For contacts: the row that each run claimed last of all rows of a contact. */
interface LatestRows {
  has(row: Uint8Array, run: number): boolean;
  /** The rows that the input does not have, some at a time. */
  others(input: RunPlan['input']): readonly Uint8Array[];
}

async function latestRows(server: Server, { input }: RunPlan): Promise<LatestRows> {
  const seconds = new Set<string>();
  for (let row = 0; row < input.count; row++) seconds.add(hex(input.read(row).subarray(digestSize)));
  const buckets = Buffer.from([...new Set(Array.from(seconds, (second) => second.slice(0, 4)))].join(''), 'hex');
  const found = new Map<string, Buffer>();
  for (let from = 0; from < buckets.length; from += rowsInCall * 2) {
    const [reply] = await server.read('latest', {}, buckets.subarray(from, from + rowsInCall * 2));
    const rows = bytes(reply);
    for (let at = 0; at < rows.length; at += 23) {
      const second = hex(rows.subarray(at, at + 8));
      if (seconds.has(second)) found.set(`${second} ${rows.readUIntBE(at + 8, 3)}`, rows.subarray(at + 11, at + 23));
    }
  }
  return {
    has: (row, run) =>
      found.get(`${hex(row.subarray(digestSize))} ${run}`)?.equals(row.subarray(0, digestSize)) ?? false,
    others(input) {
      const rows = [...found].map(([key, digest]) => Buffer.concat([digest, Buffer.from(key.slice(0, 16), 'hex')]));
      const others = rows.filter((row) => !input.hasRow(row, 0));
      const parts: Uint8Array[] = [];
      for (let from = 0; from < others.length; from += rowsInCall)
        parts.push(Buffer.concat(others.slice(from, from + rowsInCall)));
      return parts;
    },
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
