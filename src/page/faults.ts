import { eventNames } from '../contract/events.ts';
import type { InputOf } from '../sandbox/control/operations.ts';

const send = { on: ['sendTemplate'], times: 1 } as const;
const event = { on: eventNames, times: 1 } as const;

/** Errors on purpose that one click adds. `bizmsg sandbox fault` has all others. */
export const presets: readonly InputOf<'addFault'>[] = [
  { ...send, effect: { kind: 'status', status: 500 } },
  { ...send, effect: { kind: 'status', status: 500 }, after: true },
  { ...send, effect: { kind: 'reset' }, after: true },
  { ...send, effect: { kind: 'hang' } },
  { ...send, effect: { kind: 'latency', ms: 5_000 } },
  { ...event, effect: { kind: 'delay', ms: 60_000 } },
  { ...event, effect: { kind: 'drop' } },
  { ...event, effect: { kind: 'duplicate' } },
  { ...event, effect: { kind: 'bad-signature' } },
];
