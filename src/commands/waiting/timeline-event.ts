import type { SourceEvent } from '../../webhooks/event-sources.ts';

/** An event as the waiting commands print it. */
export interface TimelineEvent {
  readonly event: string | null;
  readonly at: string;
  /** Since the start of the wait. */
  readonly after_ms: number;
  readonly reason: string | null;
}

export const unnamed = 'an event without a name';

export function timelineEvent({ name, at, reason }: SourceEvent, start: number): TimelineEvent {
  const after_ms = Math.max(0, Math.round(at - start));
  return { event: name ?? null, at: new Date(at).toISOString(), after_ms, reason: reason ?? null };
}

export function eventText({ event, after_ms: after, reason }: TimelineEvent): string {
  const why = reason === null ? '' : `: ${reason}`;
  return `${event ?? unnamed} after ${seconds(after)}${why}`;
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(3)} s`;
}
