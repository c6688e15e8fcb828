import type { Change } from '../book.ts';
import { workKinds } from '../book.ts';
import type { Ranges } from '../places.ts';
import { BadChange } from '../places.ts';
import { lineOf } from '../../journal-lines.ts';
import { isRecord } from '../../contract/readers.ts';
import { rowSize, secondSize } from '../identity.ts';
import type { Account, Subject } from '../ledger.ts';

/** Rows in one line: 27 KB of text. */
const rowsInLine = 1_024;

/** The lines of a change. Rows take several lines. */
export function textOf(change: Change): string {
  if (change.type === 'rows') return linesOfRows(change.run, change.bytes);
  if (change.type === 'forget-seconds') return lineOf({ ...change, seconds: base64(change.seconds) });
  return lineOf(change.type === 'work' ? workRecord(change) : change);
}

function linesOfRows(run: string, bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += rowsInLine * rowSize)
    text += lineOf({ type: 'rows', run, bytes: base64(bytes.subarray(at, at + rowsInLine * rowSize)) });
  return text;
}

/** Leaves out empty lists: most work has four. */
function workRecord(change: Extract<Change, { type: 'work' }>) {
  const { type, run, owner, at } = change;
  const filled = workKinds.filter((kind) => change[kind].length > 0);
  return { type, run, owner, at, ...Object.fromEntries(filled.map((kind) => [kind, change[kind]])) };
}

/** The change that a line holds; throws a `BadChange` for anything else. */
export function changeIn(record: unknown): Change {
  if (!isRecord(record)) throw new BadChange('it is not a record');
  const type = record['type'];
  switch (type) {
    case 'run':
      return {
        type,
        run: text(record, 'run'),
        at: time(record),
        subject: subjectIn(record['subject']),
        again: flag(record, 'again'),
      };
    case 'owner':
      return {
        type,
        owner: text(record, 'owner'),
        at: time(record),
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
        at: time(record),
        plan: ranges(record, 'plan'),
        reopen: ranges(record, 'reopen'),
      };
    case 'work':
      return {
        type,
        run: text(record, 'run'),
        owner: text(record, 'owner'),
        at: time(record),
        claimed: ranges(record, 'claimed'),
        done: ranges(record, 'done'),
        failed: ranges(record, 'failed'),
        unsure: ranges(record, 'unsure'),
        release: ranges(record, 'release'),
      };
    case 'died':
    case 'end':
      return { type, owner: text(record, 'owner'), at: time(record) };
    case 'withdraw':
      return {
        type,
        run: text(record, 'run'),
        at: time(record),
        rows: ranges(record, 'rows'),
        closes: flag(record, 'closes'),
      };
    case 'found': {
      const event = record['event'];
      if (event !== 'sent' && event !== 'not-sent' && event !== 'supersede')
        throw new BadChange('its event is unknown');
      return { type, run: text(record, 'run'), at: time(record), event, rows: ranges(record, 'rows') };
    }
    case 'forget':
      return { type, run: text(record, 'run') };
    case 'forget-seconds':
      return { type, seconds: bytes(record, 'seconds', secondSize) };
    default:
      throw new BadChange('its type is unknown');
  }
}

type Fields = Readonly<Record<string, unknown>>;

function text(record: Fields, name: string): string {
  const value = record[name];
  if (typeof value !== 'string') throw new BadChange(`${name} is not a text`);
  return value;
}

function number(record: Fields, name: string): number {
  const value = record[name];
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw new BadChange(`${name} is not a number`);
  return value;
}

function time(record: Fields): number {
  return number(record, 'at');
}

function flag(record: Fields, name: string): boolean {
  const value = record[name];
  if (typeof value !== 'boolean') throw new BadChange(`${name} is neither true nor false`);
  return value;
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

export function subjectIn(value: unknown): Subject {
  if (!isRecord(value)) throw new BadChange('subject is missing');
  const { mode, kind, template, job } = value;
  if (mode !== 'live' && mode !== 'sandbox') throw new BadChange('mode is unknown');
  if (kind !== 'message' && kind !== 'contact') throw new BadChange('kind is unknown');
  return { account: accountIn(value['account']), mode, kind, template: maybe(template), job: maybe(job) };
}

function accountIn(value: unknown): Account {
  if (!isRecord(value)) throw new BadChange('account is missing');
  return { id: text(value, 'id'), origin: text(value, 'origin'), isKeyDigest: flag(value, 'isKeyDigest') };
}

function maybe(value: unknown): string | undefined {
  return value === undefined ? undefined : text({ value }, 'value');
}
