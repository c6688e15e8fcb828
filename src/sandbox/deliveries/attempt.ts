import type { Target } from '../../delivery/target.ts';
import type { Change, Next } from '../changes.ts';
import type { Clock } from '../clock.ts';
import type { Attempt } from '../delivery-records.ts';
import type { EventFault } from '../fault-records.ts';
import { isOnAnswers } from '../fault-settings.ts';
import { type Mint, seedNumber } from '../random.ts';
import type { Shape } from '../shapes.ts';
import type { Sending, State } from '../state.ts';
import { nextAfter, retryAfter } from './ladder.ts';
import { type Letter, letterOf, signingWith } from './letter.ts';

export interface Surroundings {
  readonly state: State;
  readonly clock: Clock;
  readonly mint: Mint;
  readonly shape: Shape;
}

/** Makes an attempt; what is returned has happened. */
export async function attempt(sending: Sending, target: Target, around: Surroundings): Promise<readonly Change[]> {
  const { state, clock, shape } = around;
  const kind = faultOf(sending, state)?.kind;
  const secrets = signingWith(sending.to.secret ?? state.secret, clock.now());
  const letter = letterOf(sending, { shape, secrets, wall: clock.wall(), fault: kind });
  const made = (attempt: Attempt, next: Next): Change => ({
    type: 'attempt',
    delivery: sending.delivery.id,
    attempt,
    next,
  });
  if (kind === 'drop')
    return [
      made({ at: clock.now(), request: letter, error: 'dropped by a fault: nothing was sent', took: 0 }, 'dropped'),
    ];
  const attempts = [await post(letter, target, clock)];
  if (kind === 'duplicate') attempts.push(await post(letter, target, clock));
  const next = verdict(sending, attempts, around);
  const changes = attempts.map((attempt) => made(attempt, next));
  // Of eight that were under way, the first has said it.
  if (!isGone(attempts) || sending.to.disabled !== undefined) return changes;
  return [...changes, { type: 'webhook-disabled', webhook: sending.to.webhook.id, reason: 'answered 410' }];
}

/** What goes wrong with it: only ever with its first attempt. */
export function faultOf({ delivery, attempts }: Sending, { faults }: State): EventFault | undefined {
  if (delivery.fault === undefined || attempts.length > 0) return undefined;
  const effect = faults.get(delivery.fault)?.fault.effect;
  return effect && !isOnAnswers(effect) ? effect : undefined;
}

async function post(letter: Letter, target: Target, clock: Clock): Promise<Attempt> {
  const [at, began] = [clock.now(), clock.wall()];
  const outcome = await target.send(letter);
  return { at, request: letter, ...outcome, took: clock.wall() - began };
}

function verdict(sending: Sending, attempts: readonly Attempt[], { clock, mint }: Surroundings): Next {
  if (attempts.some(isDelivered)) return 'delivered';
  if (isGone(attempts)) return 'dead';
  const ordinal = sending.attempts.length + attempts.length;
  const random = mint.random(seedNumber(`${sending.delivery.id} ${ordinal}`));
  const asked = retryAfter(attempts.at(-1)?.response?.headers['retry-after'], clock.wall());
  return nextAfter({ tries: sending.tries + attempts.length, now: clock.now(), jitter: random(), asked });
}

function isDelivered({ response, error }: Attempt): boolean {
  return error === undefined && response !== undefined && response.status >= 200 && response.status < 300;
}

function isGone(attempts: readonly Attempt[]): boolean {
  return !attempts.some(isDelivered) && attempts.some(({ response }) => response?.status === 410);
}
