import { isRecord } from '../contract/readers.ts';
import type { KnownOwner, RunFacts } from './book.ts';
import type { Account, Subject } from './ledger.ts';
import { BadChange } from './places.ts';

export function runIn(value: unknown): RunFacts {
  const run = fields(value);
  return {
    id: text(run['id']),
    subject: subjectIn(run['subject']),
    isAgain: run['isAgain'] === true,
    startedAt: number(run['startedAt']),
    lastAt: number(run['lastAt']),
    order: number(run['order']),
    lastOrder: number(run['lastOrder']),
    isClosed: run['isClosed'] === true,
    isForgotten: run['isForgotten'] === true,
    isCommitted: run['isCommitted'] === true,
    owners: list(run['owners'], text),
  };
}

export function ownerIn(value: unknown): KnownOwner {
  const { id, pid, start, at, state } = fields(value);
  if (state !== 'active' && state !== 'dead' && state !== 'ended') throw new BadChange('an owner has no state');
  return {
    id: text(id),
    pid: number(pid),
    start: start === undefined ? undefined : text(start),
    at: number(at),
    state,
  };
}

export function fields(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new BadChange('it is not a record');
  return value;
}

export function list<T>(value: unknown, item: (value: unknown) => T): readonly T[] {
  if (!Array.isArray(value)) throw new BadChange('it is not a list');
  return value.map((one: unknown) => item(one));
}

export function numbers(value: unknown): readonly number[] {
  return list(value, number);
}

export function number(value: unknown): number {
  if (typeof value !== 'number') throw new BadChange('it is not a number');
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new BadChange('it is not a text');
  return value;
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
  return { id: text(value['id']), origin: text(value['origin']), isKeyDigest: flag(value['isKeyDigest']) };
}

function maybe(value: unknown): string | undefined {
  return value === undefined ? undefined : text(value);
}

function flag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new BadChange('it is neither true nor false');
  return value;
}
