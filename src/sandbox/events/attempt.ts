import { jsonText } from '../../base/json.ts';
import { sign, signatureHeaders } from '../../contract/signature.ts';
import type { Target } from '../../delivery/target.ts';
import { payloadOf } from '../api/answers.ts';
import type { Shape } from '../api/shapes.ts';
import { isOnAnswers } from '../faults/input.ts';
import { type Mint, seedNumber } from '../state/ids.ts';
import type { Attempt, Change, EventFault, Next } from '../state/records.ts';
import type { Sending, SigningSecret, State } from '../state/state.ts';
import type { Clock } from '../time/clock.ts';

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

/** What an attempt sends. */
type Letter = Attempt['request'];

interface Occasion {
  readonly shape: Shape;
  readonly secrets: readonly string[];
  /** The time of day: a receiver would refuse the sandbox's own. */
  readonly wall: number;
  readonly fault: EventFault['kind'] | undefined;
}

const staleness = 10 * 60;

/** Every attempt sends the same body, whatever shape the sandbox has by then. */
function letterOf({ event, to, attempts }: Sending, { shape, secrets, wall, fault }: Occasion): Letter {
  const body = attempts[0]?.request.body ?? jsonText(payloadOf(shape, event));
  const timestamp = Math.floor(wall / 1000) - (fault === 'stale-timestamp' ? staleness : 0);
  const signed = { id: event.id, timestamp, body: fault === 'bad-signature' ? `${body} ` : body };
  const headers = {
    host: new URL(to.webhook.url).host,
    connection: 'keep-alive',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'bizmsg-sandbox',
    [signatureHeaders.id]: event.id,
    [signatureHeaders.timestamp]: String(timestamp),
    [signatureHeaders.signature]: secrets.map((secret) => sign(signed, secret)).join(' '),
  };
  return { headers, body };
}

/** Those that sign now: the newest first, and for a while the one before it. */
function signingWith({ secret, previous }: SigningSecret, now: number): readonly string[] {
  return previous && now < previous.until ? [secret, previous.secret] : [secret];
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** What lies between ten attempts (§6 leaves retries open). */
const waits = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)];
const longest = 24 * hour;

interface Failed {
  /** How many attempts have failed. */
  readonly tries: number;
  readonly now: number;
  /** From 0 to 1: so much of a tenth is added, so that what failed together does not come back together. */
  readonly jitter: number;
  /** Milliseconds for which the receiver asked. */
  readonly asked: number | undefined;
}

function nextAfter({ tries, now, jitter, asked = 0 }: Failed): Next {
  const wait = waits[tries - 1];
  if (wait === undefined) return 'dead';
  return now + Math.max(Math.round(wait * (1 + jitter / 10)), Math.min(asked, longest));
}

/** Milliseconds from `Retry-After`: seconds, or an HTTP date, which is told by the wall. */
function retryAfter(text: string | undefined, wall: number): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = /^\d+$/.test(text) ? Number(text) * second : Date.parse(text) - wall;
  return milliseconds >= 0 ? milliseconds : undefined;
}
