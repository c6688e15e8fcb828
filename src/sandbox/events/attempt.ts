import { jsonText } from '../../base/json.ts';
import { isDelivered } from '../../contract/events.ts';
import { sign, signatureHeaders } from '../../contract/signature.ts';
import type { Target } from '../../delivery/target.ts';
import type { Attempt, Delivery, EventFault, SandboxEvent, Webhook } from '../state/records.ts';
import { isOnAnswers } from '../state/records.ts';
import type { Core, State } from '../state/state.ts';
import type { Clock } from '../time/clock.ts';
import { payloadOf } from './deliveries.ts';

/** The input of an attempt. */
export interface Sending {
  readonly event: SandboxEvent;
  readonly delivery: Delivery;
  readonly webhook: Webhook;
}

export interface Made {
  readonly attempts: readonly Attempt[];
  /** Changes of the delivery. */
  readonly change: Partial<Delivery>;
  /** Whether the webhook wants no more events. */
  readonly isGone: boolean;
}

/** Makes one attempt (two with a duplicate fault). */
export async function attempt(sending: Sending, target: Target, core: Core): Promise<Made> {
  const { delivery } = sending;
  const { store, clock } = core;
  const fault = faultOf(delivery, store.state)?.kind;
  const request = signedRequest(sending, core, fault);
  if (fault === 'drop') {
    const dropped = { at: clock.now(), request, error: 'dropped by a fault: nothing was sent', took: 0 };
    return { attempts: [dropped], change: { state: 'dropped' }, isGone: false };
  }
  const attempts = [await post(request, target, clock)];
  if (fault === 'duplicate') attempts.push(await post(request, target, clock));
  return { attempts, change: changeBy(attempts, delivery, core), isGone: isGone(attempts) };
}

/** The fault to inject. Faults affect only the first attempt. */
export function faultOf({ fault, attempts }: Delivery, { faults }: State): EventFault | undefined {
  const effect = fault === undefined || attempts.length > 0 ? undefined : faults.get(fault)?.effect;
  return effect && !isOnAnswers(effect) ? effect : undefined;
}

type SignedRequest = Attempt['request'];

async function post(request: SignedRequest, target: Target, clock: Clock): Promise<Attempt> {
  const [at, started] = [clock.now(), clock.wall()];
  const outcome = await target.send(request);
  return { at, request, ...outcome, took: clock.wall() - started };
}

function signedRequest({ event, webhook }: Sending, { store, clock }: Core, fault?: EventFault['kind']): SignedRequest {
  const secrets = webhook.secret === undefined ? activeSecrets(store.state, clock.now()) : [webhook.secret];
  const body = jsonText(payloadOf(event));
  // Real time, because a receiver would refuse the sandbox's time.
  const timestamp = Math.floor(clock.wall() / 1000);
  const signature = fault === 'bad-signature' ? 'invalid' : 'valid';
  const signed = { id: event.id, timestamp, body: signature === 'valid' ? body : `${body} ` };
  const headers = {
    host: new URL(webhook.url).host,
    connection: 'keep-alive',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'bizmsg-sandbox',
    [signatureHeaders.id]: event.id,
    [signatureHeaders.timestamp]: String(timestamp),
    [signatureHeaders.signature]: secrets.map((secret) => sign(signed, secret)).join(' '),
  };
  return { headers, body, signature };
}

/** The sandbox's secret, and the one before it until it expires. */
export function activeSecrets({ secret: { secret, previous } }: State, now: number): readonly string[] {
  return previous && now < previous.until ? [secret, previous.secret] : [secret];
}

function changeBy(attempts: readonly Attempt[], delivery: Delivery, { clock, ids }: Core): Partial<Delivery> {
  if (attempts.some(hasArrived)) return { state: 'delivered' };
  const wait = isGone(attempts) ? undefined : waits[delivery.tries + attempts.length - 1];
  if (wait === undefined) return { state: 'dead' };
  // Adds up to a tenth, so that retries spread out.
  const random = ids.random(`${delivery.id} ${delivery.attempts.length + attempts.length}`);
  return { next: clock.now() + Math.round(wait * (1 + random() / 10)) };
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
