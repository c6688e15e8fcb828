import { type Change, workKinds } from '../book.ts';
import { BadChange, type Ranges } from '../places.ts';
import { lineOf } from '../../base/journal-lines.ts';
import { isRecord } from '../../contract/readers.ts';
import { rowSize, secondSize } from '../identity.ts';
import { type Fields, flag, maybeNumber, maybeText, number, ownerIn, runIn, state, subjectIn, text } from '../facts.ts';

/**
 * The lines of changes that are recorded together. A single message takes two, one before and one after the request:
 * each later command reads all of them.
 */
export function* linesFor(changes: readonly Change[]): Generator<string> {
  const together = claimRecord(changes) ?? settledRecord(changes);
  if (together) yield lineOf(together);
  else for (const change of changes) yield textOf(change);
}

/** The changes that a line holds; throws a `BadChange` for anything else. */
export function changesIn(record: unknown): readonly Change[] {
  const type = isRecord(record) ? record['type'] : undefined;
  if (!isRecord(record) || (type !== 'claim' && type !== 'settled')) return [changeIn(record)];
  const work = changeIn({ ...record, type: 'work' });
  if (type === 'settled') return [work, changeIn({ ...record, type: 'end' })];
  return [changeIn({ ...record, type: 'owner' }), changeIn({ ...record, type: 'rows' }), work];
}

/** A process claims its first row, which is new. */
function claimRecord([owner, rows, work, ...others]: readonly Change[]) {
  if (owner?.type !== 'owner' || rows?.type !== 'rows' || work?.type !== 'work' || others.length > 0) return undefined;
  const isOne = owner.owner === work.owner && owner.at === work.at && rows.run === work.run;
  return isOne ? { ...owner, ...workRecord(work), bytes: base64(rows.bytes), type: 'claim' } : undefined;
}

/** A process ends with its last outcome. */
function settledRecord([work, end, ...others]: readonly Change[]) {
  if (work?.type !== 'work' || end?.type !== 'end' || others.length > 0) return undefined;
  const isOne = work.owner === end.owner && work.at === end.at;
  return isOne ? { ...workRecord(work), type: 'settled' } : undefined;
}

/** The line of a change. */
export function textOf(change: Change): string {
  if (change.type === 'rows' || change.type === 'past-rows') return lineOf({ ...change, bytes: base64(change.bytes) });
  if (change.type === 'forget-seconds') return lineOf({ ...change, seconds: base64(change.seconds) });
  return lineOf(change.type === 'work' ? workRecord(change) : change);
}

/** Leaves out empty lists: most work has four. */
function workRecord(change: Extract<Change, { type: 'work' }>) {
  const { type, run, owner, at } = change;
  const filled = workKinds.filter((kind) => change[kind].length > 0);
  return { type, run, owner, at, ...Object.fromEntries(filled.map((kind) => [kind, change[kind]])) };
}

function changeIn(record: unknown): Change {
  if (!isRecord(record)) throw new BadChange('it is not a record');
  const type = record['type'];
  switch (type) {
    case 'run':
      return {
        type,
        run: text(record, 'run'),
        at: number(record, 'at'),
        subject: subjectIn(record['subject']),
        again: flag(record, 'again'),
      };
    case 'owner':
      return {
        type,
        owner: text(record, 'owner'),
        at: number(record, 'at'),
        pid: number(record, 'pid'),
        start: text(record, 'start'),
      };
    case 'rows':
      return { type, run: text(record, 'run'), bytes: bytes(record, 'bytes', rowSize) };
    case 'commit':
      return {
        type,
        run: text(record, 'run'),
        owner: text(record, 'owner'),
        at: number(record, 'at'),
        plan: ranges(record, 'plan'),
        reopen: ranges(record, 'reopen'),
      };
    case 'work':
      return {
        type,
        run: text(record, 'run'),
        owner: text(record, 'owner'),
        at: number(record, 'at'),
        claimed: ranges(record, 'claimed'),
        done: ranges(record, 'done'),
        failed: ranges(record, 'failed'),
        unsure: ranges(record, 'unsure'),
        release: ranges(record, 'release'),
      };
    case 'died':
    case 'end':
      return { type, owner: text(record, 'owner'), at: number(record, 'at') };
    case 'withdraw':
      return {
        type,
        run: text(record, 'run'),
        at: number(record, 'at'),
        rows: ranges(record, 'rows'),
        closes: flag(record, 'closes'),
      };
    case 'found': {
      const event = record['event'];
      if (event !== 'sent' && event !== 'not-sent' && event !== 'supersede')
        throw new BadChange('its event is unknown');
      return { type, run: text(record, 'run'), at: number(record, 'at'), event, rows: ranges(record, 'rows') };
    }
    case 'run-end':
    case 'forget':
      return { type, run: text(record, 'run') };
    case 'forget-seconds':
      return { type, seconds: bytes(record, 'seconds', secondSize) };
    case 'past-owner':
      return { type, owner: ownerIn(record['owner']) };
    case 'past-run':
      return { type, run: runIn(record['run']) };
    case 'past-rows':
      return { type, ...pastRowsIn(record) };
    case 'past-end':
      return { type, order: number(record, 'order'), lastAt: maybeNumber(record, 'lastAt') };
    default:
      throw new BadChange('its type is unknown');
  }
}

function pastRowsIn(record: Fields) {
  return {
    run: text(record, 'run'),
    skip: number(record, 'skip'),
    bytes: bytes(record, 'bytes', rowSize),
    state: state(record),
    time: number(record, 'time'),
    order: number(record, 'order'),
    owner: maybeText(record, 'owner'),
  };
}

/** None if left out. */
function ranges(record: Fields, name: string): Ranges {
  const value = record[name] ?? [];
  if (!Array.isArray(value) || value.length % 2 !== 0) throw new BadChange(`${name} is not a list of ranges`);
  return value.map((one: unknown) => {
    if (typeof one !== 'number' || !Number.isSafeInteger(one) || one < 0)
      throw new BadChange(`${name} has a bad range`);
    return one;
  });
}

function bytes(record: Fields, name: string, size: number): Buffer {
  const value = Buffer.from(text(record, name), 'base64');
  if (value.length % size !== 0) throw new BadChange(`${name} has ${value.length} bytes`);
  return value;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
