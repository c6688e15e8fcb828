import { headerOf } from './event.ts';
import { bytesOf, type Headers, type Received } from './event-records.ts';
import { sign } from '../contract/signature.ts';
import { namesIn, tolerance } from './verify.ts';

/** Whether a receiver with that clock would refuse it for its age, however well it is signed. */
export function isStale(headers: Headers, nowMs: number): boolean {
  const names = namesIn(headers);
  const timestamp = Number(names ? (headerOf(headers, names.timestamp) ?? Number.NaN) : Number.NaN);
  return Math.abs(Math.floor(nowMs / 1000) - timestamp) > tolerance;
}

/** The same event with a signature of now, under the id and the names that it had. */
export function resigned(event: Received, secret: string, nowMs: number): Received {
  const names = namesIn(event.headers);
  const id = names && headerOf(event.headers, names.id);
  if (!names || id === undefined) return event;
  const timestamp = Math.floor(nowMs / 1000);
  const signature = sign({ id, timestamp, body: bytesOf(event) }, secret);
  const anew = new Map([
    [names.timestamp, String(timestamp)],
    [names.signature, signature],
  ]);
  const kept = event.headers.filter(([name]) => !anew.has(name.toLowerCase()));
  return { ...event, headers: [...kept, ...anew] };
}
