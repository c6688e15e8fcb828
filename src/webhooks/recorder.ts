import { CliError } from '../base/errors.ts';
import type { Database } from '../base/transaction.ts';
import { deleteOld, type Delivery, type Destination, recordEvents, type Recording } from '../logs/events.ts';
import type { Bell } from './bell.ts';

interface RecorderOptions {
  readonly logs: Database;
  readonly listener: string;
  /** The largest number of an event so far. */
  readonly after: number;
  readonly now: () => number;
  destinationOf(delivery: Delivery): Destination | undefined;
  readonly bell: Bell;
  /** Ends the deletion of old events. */
  readonly signal: AbortSignal;
  recorded(all: readonly Recording[]): void;
}

/** Bytes to record before old events are deleted again. */
const tidyAfter = 1024 * 1024;

/** Returns a function that records the events of one event-loop turn together. */
export function createRecorder(options: RecorderOptions): (delivery: Delivery) => Promise<void> {
  const { logs, listener, now, destinationOf, bell, signal, recorded } = options;
  let newest = options.after;
  let arriving: Recording[] = [];
  let recording: Promise<void> | undefined;
  let untidied = Infinity;
  return (delivery) => {
    arriving.push({ delivery, at: now(), destination: destinationOf(delivery) });
    untidied += delivery.body.length;
    recording ??= recordAll(logs.write(recordEvents(listener, arriving, newest)));
    // An idle reader asks for the events immediately, and so reads them in the same transaction.
    bell.ring();
    return recording;
  };

  async function recordAll(writing: Promise<number>): Promise<void> {
    try {
      newest = await writing;
      recorded(arriving);
      if (untidied > tidyAfter) void tidy();
    } finally {
      [arriving, recording] = [[], undefined];
    }
  }

  /** Deletes old events, a few at a time. If it fails, it is tried again later. */
  async function tidy(): Promise<void> {
    untidied = -Infinity;
    const some = () =>
      logs.write(deleteOld(now())).catch((error: unknown) => {
        if (!(error instanceof CliError)) throw error;
        return 0;
      });
    while (!signal.aborted && (await some()) > 0);
    untidied = 0;
  }
}
