import { isRecord } from '../contract/readers.ts';
import type { KnownOwner } from './book.ts';
import type { RunFacts } from './run.ts';
import type { Account, Subject } from './ledger.ts';
import { BadChange } from './places.ts';
import { states, type State } from './states.ts';

/** Readers of what a ledger has stored. They throw a `BadChange` for anything else. */

export function runIn(value: unknown): RunFacts {
  const run = fields(value);
  return {
    id: text(run, 'id'),
    subject: subjectIn(run['subject']),
    isAgain: flag(run, 'isAgain'),
    startedAt: number(run, 'startedAt'),
    lastAt: number(run, 'lastAt'),
    order: number(run, 'order'),
    lastOrder: number(run, 'lastOrder'),
    isClosed: flag(run, 'isClosed'),
    isForgotten: flag(run, 'isForgotten'),
    isCommitted: flag(run, 'isCommitted'),
    hasEnded: flag(run, 'hasEnded'),
    owners: list(run, 'owners', (id) => text({ id }, 'id')),
  };
}

export function ownerIn(value: unknown): KnownOwner {
  const owner = fields(value);
  const { state } = owner;
  if (state !== 'active' && state !== 'dead' && state !== 'ended') throw new BadChange('an owner has no state');
  return {
    id: text(owner, 'id'),
    pid: number(owner, 'pid'),
    start: maybeText(owner, 'start'),
    at: number(owner, 'at'),
    state,
  };
}

export function subjectIn(value: unknown): Subject {
  const subject = fields(value);
  const { mode, kind } = subject;
  if (mode !== 'live' && mode !== 'sandbox') throw new BadChange('mode is unknown');
  if (kind !== 'message' && kind !== 'contact') throw new BadChange('kind is unknown');
  const [template, job] = [maybeText(subject, 'template'), maybeText(subject, 'job')];
  return { account: accountIn(subject['account']), mode, kind, template, job };
}

function accountIn(value: unknown): Account {
  const account = fields(value);
  return { id: text(account, 'id'), origin: text(account, 'origin'), isKeyDigest: flag(account, 'isKeyDigest') };
}

export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  if (!isRecord(value)) throw new BadChange('it is not a record');
  return value;
}

export function text(record: Fields, name: string): string {
  const value = record[name];
  if (typeof value !== 'string') throw new BadChange(`${name} is not a text`);
  return value;
}

export function maybeText(record: Fields, name: string): string | undefined {
  return record[name] === undefined ? undefined : text(record, name);
}

export function number(record: Fields, name: string): number {
  const value = record[name];
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw new BadChange(`${name} is not a number`);
  return value;
}

export function maybeNumber(record: Fields, name: string): number | undefined {
  return record[name] === undefined ? undefined : number(record, name);
}

export function flag(record: Fields, name: string): boolean {
  const value = record[name];
  if (typeof value !== 'boolean') throw new BadChange(`${name} is neither true nor false`);
  return value;
}

export function state(record: Fields): State {
  const found = states.find((one) => one === record['state']);
  if (!found) throw new BadChange('its state is unknown');
  return found;
}

export function list<T>(record: Fields, name: string, item: (value: unknown) => T): readonly T[] {
  const value = record[name];
  if (!Array.isArray(value)) throw new BadChange(`${name} is not a list`);
  return value.map((one: unknown) => item(one));
}

export function numbers(record: Fields, name: string): readonly number[] {
  return list(record, name, (one) => number({ [name]: one }, name));
}
