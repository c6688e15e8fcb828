import type { ServerResponse } from 'node:http';
import type { Reply } from './exchange.ts';
import { respond } from './wire.ts';

/**
 * Answers of one turn of the event loop leave at its end, one right after the other: waking a caller costs more than
 * making its answer, and a caller of many that one answer has woken is still awake for the next.
 */
export function createDepartures(): (response: ServerResponse, reply: Reply) => void {
  let ready: (() => void)[] = [];
  return (response, reply) => {
    if (ready.push(() => respond(response, reply)) === 1) setImmediate(leave);
  };

  function leave(): void {
    const all = ready;
    ready = [];
    for (const depart of all) depart();
  }
}
