import { isUtf8 } from 'node:buffer';
import { isRecord } from '../../contract/readers.ts';

/** Names and values as they came, in order. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** A delivery as it came in. */
export interface Delivery {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** The sender's address. */
  readonly remote: string;
  /** The listener's own. */
  readonly port: number;
}

export interface Received extends Omit<Delivery, 'body'> {
  readonly type: 'received';
  readonly id: string;
  /** By the time of day. */
  readonly received_at: number;
  readonly body: string;
  /** Of a body that is no UTF-8. */
  readonly encoding?: 'base64';
}

/** What came of sending an event on; there may be several of one. */
export interface Forwarded {
  readonly type: 'forwarded';
  /** The id of the event. */
  readonly event: string;
  readonly forwarded_at: number;
  readonly url: string;
  readonly status?: number | undefined;
  /** How long it took. */
  readonly ms: number;
  readonly error?: string | undefined;
  /** The beginning of the answer. */
  readonly body?: string | undefined;
}

/** The first of every file: whose it is. */
export interface Listener {
  readonly type: 'listener';
  readonly pid: number;
  /** By which its process is told from a later one with this number. */
  readonly start?: string | undefined;
}

export type Fact = Received | Forwarded;
export type EventRecord = Fact | Listener;

/** What follows the name in the first line of a file. */
export const form = { kind: 'events', version: 1 } as const;

export function receivedOf({ body, ...rest }: Delivery, id: string, received_at: number): Received {
  return { type: 'received', id, received_at, ...rest, ...textOf(body) };
}

/** The body as text, or as bytes if it is not UTF-8. */
export function contentOf({ body, encoding }: Pick<Received, 'body' | 'encoding'>): string | Buffer {
  return encoding === undefined ? body : Buffer.from(body, encoding);
}

/** The bytes of the body as they came. */
export function bytesOf({ body, encoding }: Pick<Received, 'body' | 'encoding'>): Buffer {
  return Buffer.from(body, encoding);
}

/** A checksum has shown that it is as it was written. What a later bizmsg records as well is passed over. */
export function isEventRecord(value: unknown): value is EventRecord {
  if (!isRecord(value)) return false;
  return value['type'] === 'received' || value['type'] === 'forwarded' || value['type'] === 'listener';
}

export function timeOf(fact: Fact): number {
  return fact.type === 'received' ? fact.received_at : fact.forwarded_at;
}

function textOf(bytes: Uint8Array): Pick<Received, 'body' | 'encoding'> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return { body: buffer.toString() };
  return { body: buffer.toString('base64'), encoding: 'base64' };
}
