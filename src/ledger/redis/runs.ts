import { bytes, integer, list, maybeText, text, type Reply } from '../../base/redis.ts';
import type { KnownOwner } from '../book.ts';
import type { RunFacts } from '../run.ts';
import { subjectIn } from '../facts.ts';
import { singlesOf } from '../ledger.ts';
import { rowSize } from '../identity.ts';
import { type State, states } from '../states.ts';
import { recordSize } from './script.ts';
import type { Server } from './server.ts';

/** A run as the server stores it. */
export interface ServerRun {
  readonly number: number;
  readonly facts: RunFacts;
  readonly counts: Record<State, number>;
  /** The live ones, and the one that worked on it last. */
  readonly owners: readonly KnownOwner[];
  readonly isLive: boolean;
  readonly isSingles: boolean;
}

export interface ServerRuns {
  readonly runs: readonly ServerRun[];
  /** The number of registrations so far: a decision from before a newer one may be outdated. */
  readonly registrations: number;
}

/** Rows in one call: a call of the script stops the server for some milliseconds at most. */
export const rowsInCall = 2_000;

export async function readRuns(server: Server): Promise<ServerRuns> {
  const [registrations, all] = await server.read('runs');
  const runs = list(all).map((one) => runIn(list(one), server.now()));
  return { registrations: integer(registrations), runs: runs.sort((a, b) => a.number - b.number) };
}

function runIn([number, active, lastState, stored]: readonly Reply[], now: number): ServerRun {
  const [id, subject, again, started, last, order, committed, closed, owner, start, pid, ...counts] = list(stored);
  const value: unknown = JSON.parse(text(subject));
  const living = list(active).map((one): KnownOwner => ({ ...unknown, id: ownerId(integer(one)), at: now }));
  const state = text(lastState);
  const latest: KnownOwner = {
    id: ownerId(integer(owner)),
    pid: integer(pid),
    start: maybeText(start),
    at: now,
    state: state === 'active' || state === 'dead' ? state : 'ended',
  };
  const owners = [...living.filter((one) => one.id !== latest.id), ...(integer(owner) > 0 ? [latest] : [])];
  const facts: RunFacts = {
    id: text(id),
    subject: subjectIn(value),
    isAgain: integer(again) === 1,
    startedAt: integer(started),
    lastAt: integer(last),
    order: integer(order),
    lastOrder: integer(order),
    owners: owners.map((one) => one.id),
    isClosed: integer(closed) === 1,
    isForgotten: false,
    isCommitted: integer(committed) === 1,
  };
  const isSingles = facts.id === singlesOf(facts.subject);
  const isLive = living.length > 0;
  return { number: integer(number), facts, counts: countsIn(counts), owners, isLive, isSingles };
}

const unknown = { pid: 0, start: undefined, state: 'active' as const };

export function ownerId(worker: number): string {
  return `w${worker}`;
}

function countsIn(counts: readonly Reply[]): Record<State, number> {
  const all = { absent: 0, planned: 0, leaving: 0, released: 0, withdrawn: 0, done: 0, failed: 0, unsure: 0 };
  states.forEach((state, code) => (all[state] = integer(counts[code])));
  return all;
}

/** All rows of a run, some at a time. */
export async function* rowsOf(server: Server, { number, isSingles }: ServerRun): AsyncGenerator<Buffer> {
  for (let from = 0; ; from += rowsInCall) {
    const to = from + rowsInCall;
    const found = isSingles
      ? Buffer.concat(list(await server.call('ZRANGE', `singles:${number}`, from, to - 1)).map(bytes))
      : bytes(await server.call('GETRANGE', `list:${number}`, from * rowSize, to * rowSize - 1));
    if (found.length > 0) yield found;
    if (found.length < rowsInCall * rowSize) return;
  }
}

export interface ServerRecord {
  readonly run: number;
  readonly state: State;
  readonly time: number;
  readonly order: number;
  readonly owner: number;
}

/** The records of packed rows, in one list for each row; with `only` those of one run. */
export async function recordsOf(
  server: Server,
  rows: Uint8Array,
  run?: string,
): Promise<readonly (readonly ServerRecord[])[]> {
  const digests = new Uint8Array((rows.length / rowSize) * 12);
  for (let row = 0; row * rowSize < rows.length; row++)
    digests.set(rows.subarray(row * rowSize, row * rowSize + 12), row * 12);
  const [reply] = await server.read('records', { run }, digests);
  const found = bytes(reply);
  const all: ServerRecord[][] = [];
  for (let at = 0; at < found.length;) {
    const count = found.readUInt16BE(at);
    at += 2;
    const own: ServerRecord[] = [];
    for (let one = 0; one < count; one++, at += recordSize) own.push(recordAt(found, at));
    all.push(own);
  }
  return all;
}

function recordAt(found: Buffer, at: number): ServerRecord {
  return {
    run: found.readUIntBE(at, 3),
    state: states[found[at + 3] ?? 0] ?? 'absent',
    time: found.readUInt32BE(at + 4),
    order: found.readUIntBE(at + 8, 5),
    owner: found.readUIntBE(at + 13, 3),
  };
}
