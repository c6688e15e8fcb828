import type { Writable } from 'node:stream';
import { jsonText } from '../../base/json.ts';
import type { OpenFeed } from '../feed.ts';
import type { Clock } from '../time/clock.ts';
import { pageHeaders } from './page.ts';

export type { FeedRecord, Topic } from '../feed.ts';

export const streamHeaders = { ...pageHeaders, 'content-type': 'text/event-stream' } as const;

/** Milliseconds in which changes are collected. */
const pause = 30;
/** A browser that hears nothing for twice as long connects again. */
const beat = 10_000;

/** Writes the changes as server-sent events, until the reader has gone. */
export function startStream(to: Writable, open: (wake: () => void) => ReturnType<OpenFeed>, clock: Clock): void {
  let cancelFlush: (() => void) | undefined;
  let isFull = false;
  const feed = open(schedule);
  let cancelBeat = clock.at(clock.now() + beat, heartbeat);
  to.on('close', () => {
    feed.stop();
    cancelFlush?.();
    cancelBeat();
  });
  to.on('drain', () => {
    isFull = false;
    schedule();
  });
  flush();

  function schedule(): void {
    if (isFull || cancelFlush) return;
    cancelFlush = clock.at(clock.now() + pause, flush);
  }

  function flush(): void {
    cancelFlush = undefined;
    const { cursor, records } = feed.take();
    if (records.length > 0) isFull = !to.write(`id: ${cursor}\ndata: ${jsonText(records)}\n\n`);
  }

  function heartbeat(): void {
    if (!isFull) isFull = !to.write(':\n\n');
    cancelBeat = clock.at(clock.now() + beat, heartbeat);
  }
}
