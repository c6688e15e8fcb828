import type { SourceEvent } from '../../webhooks/event-sources.ts';

/** An event of a timeline. */
export interface Seen {
  readonly event: string | null;
  readonly at: string;
  /** From the beginning of the wait on. */
  readonly after_ms: number;
  readonly reason: string | null;
}

export function seen({ name, at, reason }: SourceEvent, since: number): Seen {
  const after_ms = Math.max(0, Math.round(at - since));
  return { event: name ?? null, at: new Date(at).toISOString(), after_ms, reason: reason ?? null };
}

export function told({ event, after_ms: after, reason }: Seen): string {
  const why = reason === null ? '' : `: ${reason}`;
  return `${event ?? 'an event without a name'} after ${seconds(after)}${why}`;
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(3)} s`;
}
