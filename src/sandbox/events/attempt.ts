import { jsonText } from '../../base/json.ts';
import { isDelivered } from '../../contract/events.ts';
import { sign, signatureHeaders } from '../../contract/signature.ts';
import type { Target } from '../../delivery/target.ts';
import { payloadOf } from '../api/answers.ts';
import { isOnAnswers } from '../state/records.ts';
import { seedNumber } from '../state/ids.ts';
import type { Attempt, Change, EventFault, Next } from '../state/records.ts';
import type { Core, Sending, SigningSecret, State } from '../state/state.ts';
import type { Clock } from '../time/clock.ts';

/** Makes one attempt (two with a duplicate fault) and returns the changes to commit. */
export async function attempt(sending: Sending, target: Target, context: Core): Promise<readonly Change[]> {
  const { store, clock } = context;
  const { state } = store;
  const fault = faultOf(sending, state)?.kind;
  const secrets = activeSecrets(sending.to.secret ?? state.secret, clock.now());
  const request = signedRequest(sending, { secrets, wall: clock.wall(), fault });
  const changeOf = (attempt: Attempt, next: Next): Change => {
    return { type: 'attempt', delivery: sending.delivery.id, attempt, next };
  };
  if (fault === 'drop')
    return [changeOf({ at: clock.now(), request, error: 'dropped by a fault: nothing was sent', took: 0 }, 'dropped')];
  const attempts = [await post(request, target, clock)];
  if (fault === 'duplicate') attempts.push(await post(request, target, clock));
  const next = nextStep(sending, attempts, context);
  const changes = attempts.map((attempt) => changeOf(attempt, next));
  // Only the first of concurrent attempts disables the webhook.
  if (!isGone(attempts) || sending.to.disabled !== undefined) return changes;
  return [...changes, { type: 'webhook-disabled', webhook: sending.to.webhook.id, reason: 'answered 410' }];
}

/** The fault to inject. Faults affect only the first attempt. */
export function faultOf({ delivery, attempts }: Sending, { faults }: State): EventFault | undefined {
  if (delivery.fault === undefined || attempts.length > 0) return undefined;
  const effect = faults.get(delivery.fault)?.fault.effect;
  return effect && !isOnAnswers(effect) ? effect : undefined;
}

type SignedRequest = Attempt['request'];

async function post(request: SignedRequest, target: Target, clock: Clock): Promise<Attempt> {
  const [at, started] = [clock.now(), clock.wall()];
  const outcome = await target.send(request);
  return { at, request, ...outcome, took: clock.wall() - started };
}

interface SigningOptions {
  readonly secrets: readonly string[];
  /** Real time, because a receiver would refuse the sandbox's time. */
  readonly wall: number;
  readonly fault: EventFault['kind'] | undefined;
}

function signedRequest({ event, to }: Sending, options: SigningOptions): SignedRequest {
  const { secrets, wall, fault } = options;
  const body = jsonText(payloadOf(event));
  const timestamp = Math.floor(wall / 1000);
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

/** The newest secret, and the one before it until it expires. */
export function activeSecrets({ secret, previous }: SigningSecret, now: number): readonly string[] {
  return previous && now < previous.until ? [secret, previous.secret] : [secret];
}

function nextStep(sending: Sending, attempts: readonly Attempt[], { clock, ids }: Core): Next {
  if (attempts.some(hasArrived)) return 'delivered';
  if (isGone(attempts)) return 'dead';
  const ordinal = sending.attempts.length + attempts.length;
  const random = ids.random(seedNumber(`${sending.delivery.id} ${ordinal}`));
  const requested = retryAfter(attempts.at(-1)?.response?.headers['retry-after'], clock.wall());
  return nextAttempt({ failures: sending.tries + attempts.length, now: clock.now(), jitter: random(), requested });
}

function hasArrived({ response, error }: Attempt): boolean {
  return isDelivered({ status: response?.status, error });
}

function isGone(attempts: readonly Attempt[]): boolean {
  return !attempts.some(hasArrived) && attempts.some(({ response }) => response?.status === 410);
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The retry schedule: ten attempts (§6 leaves it open). */
const waits = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)];
const longestRetryAfter = 24 * hour;

interface Retry {
  readonly failures: number;
  readonly now: number;
  /** From 0 to 1: adds up to a tenth, so that retries spread out. */
  readonly jitter: number;
  /** The receiver's Retry-After, in milliseconds. */
  readonly requested: number | undefined;
}

function nextAttempt({ failures, now, jitter, requested = 0 }: Retry): Next {
  const wait = waits[failures - 1];
  if (wait === undefined) return 'dead';
  return now + Math.max(Math.round(wait * (1 + jitter / 10)), Math.min(requested, longestRetryAfter));
}

/** Milliseconds until `Retry-After`: seconds, or an HTTP date in real time. */
function retryAfter(text: string | undefined, wall: number): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = /^\d+$/.test(text) ? Number(text) * second : Date.parse(text) - wall;
  return milliseconds >= 0 ? milliseconds : undefined;
}
