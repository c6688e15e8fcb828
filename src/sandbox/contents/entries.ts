import * as read from '../../contract/readers.ts';
import type { Reader } from '../../contract/readers.ts';
import { nearest } from '../../base/suggest.ts';
import { attributes } from '../bodies.ts';
import type { Campaign, Contact, Template } from '../records.ts';
import { oneOf } from '../settings.ts';

/** A record that may lack what the sandbox can give it. */
type Given<T, Optional extends keyof T> = Omit<T, Optional> & { readonly [K in Optional]?: T[K] | undefined };
export type GivenContact = Given<Contact, 'id' | 'created_at'>;
export type GivenTemplate = Given<Template, 'id'>;
export type GivenCampaign = Given<Campaign, 'id' | 'created_at'>;

export function contact(value: unknown, at = ''): GivenContact {
  const fields = fieldsOf(value, at, ['id', 'phone', 'name', 'tags', 'attributes', 'created_at']);
  return {
    id: fields('id', read.id, undefined),
    phone: fields('phone', read.phone),
    name: fields('name', read.string, undefined),
    tags: fields('tags', read.list(read.string), []),
    attributes: fields('attributes', attributes, {}),
    created_at: fields('created_at', time, undefined),
  };
}

export function template(value: unknown, at = ''): GivenTemplate {
  const fields = fieldsOf(value, at, ['id', 'name', 'language', 'category', 'status', 'body', 'variables']);
  const body = fields('body', read.string);
  return {
    id: fields('id', read.id, undefined),
    name: fields('name', read.id),
    language: fields('language', read.id, 'en_US'),
    category: fields('category', read.id, 'UTILITY'),
    status: fields('status', oneOf(['APPROVED', 'PENDING', 'REJECTED']), 'APPROVED'),
    body,
    variables: fields('variables', read.list(read.string), variablesIn(body)),
  };
}

export function campaign(value: unknown, at = ''): GivenCampaign {
  const fields = fieldsOf(value, at, ['id', 'name', 'template', 'status', 'audience', 'counts', 'created_at']);
  return {
    id: fields('id', read.id, undefined),
    name: fields('name', read.id),
    template: fields('template', read.id),
    status: fields('status', oneOf(['SCHEDULED', 'RUNNING', 'COMPLETED']), 'SCHEDULED'),
    audience: fields('audience', whole, 0),
    counts: fields('counts', counts, noCounts),
    created_at: fields('created_at', time, undefined),
  };
}

const noCounts = { sent: 0, delivered: 0, read: 0, failed: 0 };
const counts = read.object({ sent: whole, delivered: whole, read: whole, failed: whole });

/** A field must be there, unless something stands in for it. */
interface Fields {
  <T>(name: string, reader: Reader<T>): T;
  <T, O>(name: string, reader: Reader<T>, otherwise: O): T | O;
}

/** A field that is not known is most likely another one, mistyped. */
function fieldsOf(value: unknown, at: string, known: readonly string[]): Fields {
  if (!read.isRecord(value)) throw new read.Mismatch(at, 'must be an object');
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new read.Mismatch(`${at}/${unknown}`, whyUnknown(unknown, known));
  const fields = value;
  return field;

  function field<T>(name: string, reader: Reader<T>): T;
  function field<T, O>(name: string, reader: Reader<T>, otherwise: O): T | O;
  function field(name: string, reader: Reader<unknown>, ...otherwise: readonly unknown[]): unknown {
    if (fields[name] !== undefined) return reader(fields[name], `${at}/${name}`);
    if (otherwise.length === 0) throw new read.Mismatch(`${at}/${name}`, 'is missing');
    return otherwise[0];
  }
}

export function whyUnknown(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `is not known; ${near === undefined ? `known are ${known.join(', ')}` : `did you mean "${near}"?`}`;
}

/** What a template asks for: {{1}}, {{2}}… */
function variablesIn(body: string): readonly string[] {
  return [...new Set([...body.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name))];
}

function time(value: unknown, at = ''): string {
  const date = new Date(read.string(value, at));
  if (Number.isNaN(date.getTime())) throw new read.Mismatch(at, 'must be a time, such as 2026-05-01T12:00:00Z');
  return date.toISOString();
}

function whole(value: unknown, at = ''): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new read.Mismatch(at, 'must be a whole number');
}
