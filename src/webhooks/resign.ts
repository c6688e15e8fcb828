import { sign } from '../contract/signature.ts';
import { headerOf, type Headers } from '../delivery/headers.ts';
import { headerNames, tolerance } from '../delivery/signature.ts';
import type { Received } from '../logs/events.ts';

/** True if a receiver would refuse the event because of its age. */
export function isStale(headers: Headers, nowMs: number): boolean {
  const names = headerNames(headers);
  const timestamp = Number(names ? (headerOf(headers, names.timestamp) ?? Number.NaN) : Number.NaN);
  return Math.abs(Math.floor(nowMs / 1000) - timestamp) > tolerance;
}

/** The event with a signature of now, with the same id and header names. */
export function signAgain(event: Received, secret: string, nowMs: number): Received {
  const names = headerNames(event.headers);
  const id = names && headerOf(event.headers, names.id);
  if (!names || id === undefined) return event;
  const timestamp = Math.floor(nowMs / 1000);
  const signature = sign({ id, timestamp, body: event.body }, secret);
  const replaced = new Map([
    [names.timestamp, String(timestamp)],
    [names.signature, signature],
  ]);
  const kept = event.headers.filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...event, headers: [...kept, ...replaced] };
}
