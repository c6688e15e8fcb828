import { redact } from '../redact.ts';
import { callerOf, isAllowed } from './callers.ts';
import { isTooLarge } from './bodies.ts';
import type { Call, Key } from './changes.ts';
import type { Clock } from './clock.ts';
import { errorAnswer, rateHeaders } from './error-answers.ts';
import { targetOf } from './exchange.ts';
import type { Exchange, Reply } from './exchange.ts';
import { handlers } from './handlers.ts';
import type { Outcome } from './handlers.ts';
import { limitsOf } from './limits.ts';
import type { MinuteWindow, Rate } from './limits.ts';
import { endpointAt } from './paths.ts';
import type { Mint } from './random.ts';
import { Refusal } from './refusal.ts';
import type { Shape } from './shapes.ts';
import type { State } from './state.ts';

/** What decisions are taken from. */
export interface Desk {
  readonly state: State;
  readonly shape: Shape;
  readonly mint: Mint;
  readonly minute: MinuteWindow;
  readonly clock: Clock;
  /** Told of what should not have happened. */
  warn(text: string): void;
}

/** From a request to its answer and all that it changes, the row in the key's audit log included (§5.8). */
export function decide(exchange: Exchange, desk: Desk): Outcome {
  const now = desk.clock.now();
  const { key, refusal } = callerOf(exchange.headers['authorization'], desk.state);
  const outcome = attempt(desk, () => {
    if (isTooLarge(exchange.body)) throw new Refusal(400, 'the body is larger than 1 MiB');
    if (!key || refusal !== undefined) throw new Refusal(401, refusal ?? 'the key is invalid');
    return admitted(exchange, desk, key, now);
  });
  const { method, target } = exchange;
  const { reply, changes, detail } = outcome;
  const why = detail === undefined ? undefined : { detail: redact(detail) };
  const call: Call = {
    at: now,
    method,
    target: redact(target),
    status: reply.status,
    ...(key && { key: key.id }),
    ...why,
  };
  return { reply, changes: [...changes, { type: 'call', call }] };
}

/** §7: a fault on the service side. */
export function crashed(desk: Desk, error: unknown): Reply {
  desk.warn(`the sandbox failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return refused(desk, new Refusal(500, 'the sandbox failed; its log says why'));
}

export function refused({ shape, clock }: Pick<Desk, 'shape' | 'clock'>, refusal: Refusal): Reply {
  return errorAnswer(shape, refusal, clock.wall());
}

function admitted(exchange: Exchange, desk: Desk, key: Key, now: number): Outcome {
  const rate = desk.minute.take(now, limitsOf(desk.state.plan).perMinute);
  const { reply, ...rest } = attempt(desk, () => {
    checkMinute(rate);
    return serve(exchange, desk, key, now);
  });
  return { reply: { ...reply, headers: { ...reply.headers, ...rateHeaders(desk.shape, rate) } }, ...rest };
}

// §8.1
function checkMinute(rate: Rate | undefined): void {
  if (!rate?.exceeded) return;
  throw new Refusal(429, `the plan's ${rate.limit} requests per minute are exceeded`, { retryAfter: rate.reset });
}

/** The document sets no order of checks: path, plan, scope, then what the endpoint itself demands. */
function serve(exchange: Exchange, { state, shape, mint }: Desk, key: Key, now: number): Outcome {
  const { path, query } = targetOf(exchange.target);
  const endpoint = endpointAt(exchange.method, path);
  // §5.7
  if (state.plan.without.includes(endpoint)) throw new Refusal(403, 'the plan does not include access to the endpoint');
  if (!isAllowed(key.scope, endpoint)) {
    throw new Refusal(shape.scopeRefusal, `the key's scope, ${key.scope}, does not allow this endpoint`);
  }
  let { serial } = state;
  const id = (prefix: string) => mint.id(prefix, ++serial);
  return handlers[endpoint]({ exchange, query, key, state, shape, now, id, random: mint.random(state.serial) });
}

function attempt(desk: Desk, run: () => Outcome): Outcome {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refusal)) return { reply: crashed(desk, error), changes: [] };
    return { reply: refused(desk, error), changes: [], detail: error.message };
  }
}
