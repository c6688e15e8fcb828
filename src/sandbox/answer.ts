import { redact, redactTarget } from '../base/redact.ts';
import {
  callerOf,
  endpointAt,
  isAllowed,
  findEndpoint,
  hasRealLiveKey,
  limitsOf,
  type MinuteWindow,
  type Rate,
  realLiveKey,
} from './api/admission.ts';
import { errorAnswer, rateHeaders } from './api/answers.ts';
import { isTooLarge } from './api/bodies.ts';
import { type Decision, underFaults, type Wait } from './api/fault-effects.ts';
import { handlers, type HandlerResult } from './api/handlers.ts';
import type { Shape } from './api/shapes.ts';
import { type Exchange, type Gone, type Reply, targetOf } from './exchange.ts';
import { drawFault, type FaultDraw } from './faults/faults.ts';
import { Refusal } from './refusal.ts';
import type { Ids } from './state/ids.ts';
import type { Store } from './state/store.ts';
import type { Call, Change, FaultRecord, Key } from './state/records.ts';
import type { State } from './state/state.ts';
import { type Clock, sleep } from './time/clock.ts';

interface Runtime {
  readonly service: Service;
  readonly store: Store;
  /** Aborted when the sandbox closes; nothing is recorded after that. */
  readonly closing: AbortSignal;
}

export interface Asked {
  readonly exchange: Exchange;
  readonly gone?: Gone | undefined;
}

/** Returns a promise only if a fault delays the answer; it never rejects. */
export type Answer = Reply | Promise<Reply>;

/** Answers requests in order, and journals their changes in one write. If that fails, so do all of them. */
export function answerAll<T extends Asked>(asked: readonly T[], runtime: Runtime): readonly (readonly [T, Answer])[] {
  try {
    return runtime.store.together(() => asked.map((one) => [one, answer(one, runtime)] as const));
  } catch (error) {
    const failure = crashed(runtime.service, error);
    return asked.map((one) => [one, failure] as const);
  }
}

/** Decides, commits and answers. */
export function answer({ exchange, gone }: Asked, runtime: Runtime): Answer {
  try {
    const decision = decide(exchange, runtime.service);
    if (decision.wait) return answerLater(decision, decision.wait, runtime, gone);
    runtime.store.commit(decision.changes);
    return decision.reply;
  } catch (error) {
    return crashed(runtime.service, error);
  }
}

async function answerLater(decision: Decision, wait: Wait, runtime: Runtime, gone: Gone | undefined): Promise<Reply> {
  try {
    return await waitAndAnswer(decision, wait, runtime, gone);
  } catch (error) {
    return crashed(runtime.service, error);
  }
}

async function waitAndAnswer(
  decision: Decision,
  { ms, act }: Wait,
  runtime: Runtime,
  gone: Gone | undefined,
): Promise<Reply> {
  const { service, store, closing } = runtime;
  const signal = gone ? AbortSignal.any([closing, gone()]) : closing;
  if (!act) {
    store.commit(decision.changes);
    await waitUnlessAborted(ms, signal);
    return decision.reply;
  }
  const { matched = {} } = decision;
  service.uncommitted.add(matched);
  const isConnected = await waitUnlessAborted(ms, signal);
  service.uncommitted.delete(matched);
  if (closing.aborted) return decision.reply;
  const { changes, reply } = isConnected ? act(service.clock.now()) : decision;
  store.commit(changes);
  return reply;
}

/** Waits in real time, since the sandbox's clock may be frozen. Returns false if aborted. */
function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, signal).then(
    () => true,
    () => false,
  );
}

/** Everything that a decision depends on, apart from the request. */
interface Service {
  readonly state: State;
  readonly shape: Shape;
  readonly ids: Ids;
  readonly minute: MinuteWindow;
  readonly clock: Clock;
  /** Fault draws that are not committed yet. */
  readonly uncommitted: Set<FaultRecord>;
  /** Reports internal errors. */
  warn(text: string): void;
}

/** Returns the answer to a request and its changes, including the row in the key's audit log (§5.8). */
function decide(exchange: Exchange, service: Service): Decision {
  const now = service.clock.now();
  const { authorization } = exchange.headers;
  const { key, refusal } = callerOf(authorization, service.state);
  if (!key && hasRealLiveKey(authorization)) service.warn(realLiveKey);
  const decision = attempt(service, () => {
    if (isTooLarge(exchange.body)) throw new Refusal(400, 'the body is larger than 1 MiB');
    if (!key || refusal !== undefined) throw new Refusal(401, refusal ?? 'the key is invalid');
    return admitted(exchange, service, key, now);
  });
  const target = shortened(redactTarget(exchange.target));
  return recorded(decision, { at: now, method: exchange.method, target, ...(key && { key: key.id }) });
}

const longestTarget = 500;

function shortened(target: string): string {
  return target.length > longestTarget ? `${target.slice(0, longestTarget)}…` : target;
}

function recorded(decision: Decision, asked: Pick<Call, 'at' | 'method' | 'target' | 'key'>): Decision {
  const { reply, detail, matched, wait } = decision;
  const plain: Call = { ...asked, status: reply.status };
  const call =
    detail === undefined && !matched
      ? plain
      : { ...plain, ...(detail !== undefined && { detail: redact(detail) }), ...matched };
  const changes: readonly Change[] = [...decision.changes, { type: 'call', call }];
  if (!wait) return { reply, changes };
  const { ms, act } = wait;
  return { reply, changes, matched, wait: act ? { ms, act: (at) => recorded(act(at), { ...asked, at }) } : { ms } };
}

/** §7: an error of the service itself. */
function crashed(service: Service, error: unknown): Reply {
  service.warn(`the sandbox failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return refused(service, new Refusal(500, 'the sandbox failed; see its log for the cause'));
}

export function refused({ shape, clock }: Pick<Service, 'shape' | 'clock'>, refusal: Refusal): Reply {
  const { status, message, pointer, retryAfter } = refusal;
  return errorAnswer(shape, new Refusal(status, redact(message), { pointer, retryAfter }), clock.wall());
}

function admitted(exchange: Exchange, service: Service, key: Key, now: number): Decision {
  const rate = service.minute.take(now, limitsOf(service.state.plan).perMinute);
  const served = (at: number): HandlerResult => {
    const { reply, ...rest } = attempt(service, () => {
      checkMinute(rate);
      return serve(exchange, service, key, at);
    });
    if (!rate) return { reply, ...rest };
    return { reply: { ...reply, headers: { ...reply.headers, ...rateHeaders(service.shape, rate) } }, ...rest };
  };
  if (rate?.exceeded) return served(now);
  const draw = drawFor(exchange, service, now);
  // The usual case: no fault is set.
  return draw.matched.length === 0 ? served(now) : underFaults(draw, { ...service, now }, served);
}

/** Faults apply only to requests within the rate limit, and such requests count toward it. */
function drawFor({ method, target }: Exchange, { state, uncommitted }: Service, now: number): FaultDraw {
  const endpoint = state.faults.size === 0 ? undefined : findEndpoint(method, targetOf(target).path);
  return endpoint ? drawFault(state, endpoint, now, uncommitted) : { matched: [] };
}

// §8.1
function checkMinute(rate: Rate | undefined): void {
  if (!rate?.exceeded) return;
  throw new Refusal(429, `the plan's ${rate.limit} requests per minute are exceeded`, { retryAfter: rate.reset });
}

/** The document leaves the order of checks open. Ours: path, plan, scope, then the endpoint's own checks. */
function serve(exchange: Exchange, { state, shape, ids }: Service, key: Key, now: number): HandlerResult {
  const { path, query } = targetOf(exchange.target);
  const endpoint = endpointAt(exchange.method, path);
  // §5.7
  if (state.plan.without.includes(endpoint)) throw new Refusal(403, 'the plan does not include access to the endpoint');
  if (!isAllowed(key.scope, endpoint)) {
    throw new Refusal(shape.scopeRefusal, `the key's scope, ${key.scope}, does not allow this endpoint`);
  }
  let { serial } = state;
  const id = (prefix: string) => ids.id(prefix, ++serial);
  return handlers[endpoint]({ exchange, query, key, state, shape, now, id, random: ids.random(state.serial) });
}

function attempt(service: Service, run: () => Decision): Decision {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refusal)) return { reply: crashed(service, error), changes: [] };
    return { reply: refused(service, error), changes: [], detail: error.message };
  }
}
