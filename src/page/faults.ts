import { endpointNames } from '../contract/endpoints.ts';
import { eventNames, isEventName } from '../contract/events.ts';
import type { InputOf } from '../sandbox/control/operations.ts';

type Fault = InputOf<'addFault'>;

const send = { on: ['sendTemplate'], times: 1 } as const;
const event = { on: eventNames, times: 1 } as const;

/** Errors on purpose that one click adds. `bizmsg sandbox fault` has all others. */
export const presets: readonly Fault[] = [
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

const effects = {
  reset: 'connection lost',
  hang: 'no answer',
  drop: 'not delivered',
  duplicate: 'delivered twice',
  'bad-signature': 'invalid signature',
} as const;

/** Such as `Next 2 sends → sent, then 500`. */
export function faultText({ on, effect, after, times }: Fault): string {
  const noun = nounOf(on);
  const which = times === undefined ? `Every ${noun}` : times === 1 ? `Next ${noun}` : `Next ${times} ${noun}s`;
  return `${which} → ${after ? 'sent, then ' : ''}${effectText(effect)}`;
}

function effectText(effect: Fault['effect']): string {
  if (effect.kind === 'status') return String(effect.status);
  if (effect.kind === 'latency') return `answered ${effect.ms / 1_000} s late`;
  return effect.kind === 'delay' ? `delivered ${effect.ms / 1_000} s late` : effects[effect.kind];
}

function nounOf(on: Fault['on']): string {
  if (on.join() === 'sendTemplate') return 'send';
  const [all, noun] = on.some(isEventName) ? [eventNames, 'event'] : [endpointNames, 'request'];
  return on.length === all.length ? noun : `${on.join(', ')} ${noun}`;
}
