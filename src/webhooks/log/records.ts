import { isUtf8 } from 'node:buffer';
import type { Headers } from '../../delivery/headers.ts';
import { isRecord } from '../../contract/readers.ts';

/** A request that delivers an event. */
export interface Delivery {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** The sender's address. */
  readonly remote: string;
  /** The port of the listener. */
  readonly port: number;
}

export interface Received extends Omit<Delivery, 'body'> {
  readonly type: 'received';
  readonly id: string;
  readonly received_at: number;
  readonly body: string;
  /** Set if the body is not UTF-8. */
  readonly encoding?: 'base64' | undefined;
}

/** One attempt to forward an event. */
export interface Forwarded {
  readonly type: 'forwarded';
  /** The id of the event. */
  readonly event: string;
  readonly forwarded_at: number;
  readonly url: string;
  readonly status?: number | undefined;
  /** Duration. */
  readonly ms: number;
  readonly error?: string | undefined;
  /** The beginning of the answer's body. */
  readonly body?: string | undefined;
}

/** The first record of every file: the process that writes it. */
export interface Listener {
  readonly type: 'listener';
  readonly pid: number;
  /** Distinguishes the process from a later one with the same pid. */
  readonly start?: string | undefined;
}

export type Fact = Received | Forwarded;
export type EventRecord = Fact | Listener;

/** The format in the first line of a file. */
export const form = { kind: 'events', version: 1 } as const;

export function receivedOf(delivery: Delivery, id: string, received_at: number): Received {
  const { method, path, headers, remote, port } = delivery;
  const { body, encoding } = textOf(delivery.body);
  return { type: 'received', id, received_at, method, path, headers, remote, port, body, encoding };
}

/** The body as text, or as bytes if it is not UTF-8. */
export function contentOf({ body, encoding }: Pick<Received, 'body' | 'encoding'>): string | Buffer {
  return encoding === undefined ? body : Buffer.from(body, encoding);
}

/** The bytes of the body. */
export function bytesOf({ body, encoding }: Pick<Received, 'body' | 'encoding'>): Buffer {
  return Buffer.from(body, encoding);
}

/** False for types of records that a newer version added. */
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
