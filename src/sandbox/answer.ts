import { CliError, reasonOf } from '../base/errors.ts';
import { redact, redactTarget } from '../base/redact.ts';
import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import {
  type Caller,
  callerOf,
  findEndpoint,
  hasRealLiveKey,
  isAllowed,
  isOwnHost,
  limitsOf,
  type MinuteWindow,
  type Rate,
  realLiveKey,
  whyNoEndpoint,
} from './api/admission.ts';
import { errorAnswer, rateHeaders } from './api/answers.ts';
import { isTooLarge } from './api/bodies.ts';
import { type Decision, underFaults, type Wait } from './api/fault-effects.ts';
import { handlers } from './api/handlers.ts';
import { type DisconnectSignal, type Exchange, type HandlerResult, type Reply, targetOf } from './exchange.ts';
import type { Exchanges } from './requests.ts';
import { withDeliveries } from './events/fan-out.ts';
import { matchFaults } from './faults.ts';
import { Refusal } from './refusal.ts';
import type { Ids } from './state/ids.ts';
import type { Call, FaultRecord, Key } from './state/records.ts';
import { type State, type Store } from './state/state.ts';
import { type Clock, sleep } from './time/clock.ts';

export interface Incoming {
  readonly exchange: Exchange;
  readonly gone?: DisconnectSignal | undefined;
}

/** Returns a promise only if a fault delays the answer; it never rejects. */
export type Answer = Reply | Promise<Reply>;

interface Runtime {
  readonly service: Service;
  readonly store: Store;
  /** Aborted when the sandbox closes; nothing is recorded after that. */
  readonly closing: AbortSignal;
}

/** Answers requests in order, and journals their changes in one write. If that fails, so do all of them. */
export function answerAll<T extends Incoming>(
  incoming: readonly T[],
  runtime: Runtime,
): readonly (readonly [T, Answer])[] {
  const { stage, flush } = runtime.store;
  try {
    flush();
    const answers = incoming.map((one) => [one, answer(one, runtime, stage)] as const);
    flush();
    return answers;
  } catch (error) {
    const failure = crashed(runtime.service, error);
    return incoming.map((one) => [one, failure] as const);
  }
}

/** Decides, records and answers. */
export function answer(
  { exchange, gone }: Incoming,
  runtime: Runtime,
  record: Store['commit'] = runtime.store.commit,
): Answer {
  const { service, closing } = runtime;
  const failed = (error: unknown) => crashed(service, error);
  try {
    const decision = decide(exchange, service);
    const { wait, changes, reply } = decision;
    const signal = () => (gone ? AbortSignal.any([closing, gone()]) : closing);
    if (wait?.act) return actLater(decision, { ms: wait.ms, act: wait.act, signal: signal() }, runtime).catch(failed);
    record(changes);
    return wait ? waitUnlessAborted(wait.ms, signal()).then(() => reply) : reply;
  } catch (error) {
    return failed(error);
  }
}

interface Delayed extends Required<Wait> {
  readonly signal: AbortSignal;
}

async function actLater(decision: Decision, { ms, act, signal }: Delayed, runtime: Runtime): Promise<Reply> {
  const { service, store, closing } = runtime;
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
  readonly ids: Ids;
  readonly minute: MinuteWindow;
  readonly clock: Clock;
  /** Fault draws that are not committed yet. */
  readonly uncommitted: Set<FaultRecord>;
  readonly exchanges: Exchanges;
  /** Reports internal errors. */
  warn(text: string): void;
}

/** Returns the answer to a request and its changes, including the row in the key's audit log (§5.8). */
function decide(exchange: Exchange, service: Service): Decision {
  const { method, headers, target } = exchange;
  const now = service.clock.now();
  const caller = callerOf(headers['authorization'], service.state);
  if (!caller.key && hasRealLiveKey(headers['authorization'])) service.warn(realLiveKey);
  const { path, query } = targetOf(target);
  const endpoint = findEndpoint(method, path);
  const decision = decideFor({ exchange, path, query, endpoint, now }, caller, service);
  // A documented path contains no key. All calls to it share one string.
  const shown = endpoint && target === path ? endpoints[endpoint].path : shortened(redactTarget(target));
  return recorded(decision, { at: now, method, target: shown, key: caller.key?.id, exchange }, service);
}

interface Arrival {
  readonly exchange: Exchange;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Undefined if no endpoint has this path. */
  readonly endpoint: EndpointName | undefined;
  readonly now: number;
}

/** The document leaves the order of checks open. Ours: size, host, key, minute, faults, and those of `serve`. */
function decideFor(arrival: Arrival, { key, refusal }: Caller, service: Service): Decision {
  const { endpoint, now } = arrival;
  const { state, minute, uncommitted } = service;
  if (isTooLarge(arrival.exchange.body)) return rejected(new Refusal(400, 'the body is larger than 1 MiB'));
  const { host } = arrival.exchange.headers;
  if (!isOwnHost(host))
    return rejected(new Refusal(403, `the host ${host} is not this machine: use 127.0.0.1 or localhost`));
  if (!key || refusal !== undefined) return rejected(new Refusal(401, refusal ?? 'the key is invalid'));
  const rate = minute.take(now, limitsOf(state.plan).perMinute);
  if (rate?.exceeded) return withRate(rejected(minuteExceeded(rate)), rate);
  const served = (at: number) => withRate(serveOrRefuse(arrival, key, at, service), rate);
  // Faults apply only to requests within the rate limit, and such requests count toward it.
  const draw = endpoint && state.faults.size > 0 ? matchFaults(state, endpoint, uncommitted) : undefined;
  return draw && draw.matched.length > 0 ? underFaults(draw, now, served) : served(now);
}

function withRate(outcome: HandlerResult, rate: Rate | undefined): HandlerResult {
  if (!rate) return outcome;
  const { reply } = outcome;
  return { ...outcome, reply: { ...reply, headers: { ...reply.headers, ...rateHeaders(rate) } } };
}

// §8.1
function minuteExceeded({ limit, reset }: Rate): Refusal {
  return new Refusal(429, `the plan's ${limit} requests per minute are exceeded`, { retryAfter: reset });
}

function serveOrRefuse(arrival: Arrival, key: Key, at: number, service: Service): HandlerResult {
  try {
    return serve(arrival, key, at, service);
  } catch (error) {
    if (error instanceof Refusal) return rejected(error);
    return { reply: crashed(service, error), changes: [] };
  }
}

function rejected(refusal: Refusal): HandlerResult {
  return { reply: refused(refusal), changes: [], detail: refusal.message };
}

/** Checks the path, the plan and the scope; the endpoint's handler checks the rest. */
function serve({ exchange, path, query, endpoint }: Arrival, key: Key, now: number, service: Service): HandlerResult {
  const { state, ids } = service;
  if (!endpoint) throw new Refusal(404, whyNoEndpoint(exchange.method, path));
  // §5.7
  if (state.plan.without.includes(endpoint)) throw new Refusal(403, 'the plan does not include access to the endpoint');
  if (!isAllowed(key.scope, endpoint)) {
    throw new Refusal(403, `the key's scope, ${key.scope}, does not allow this endpoint`);
  }
  let { serial } = state;
  const id = (prefix: string) => ids.id(prefix, ++serial);
  return handlers[endpoint]({ exchange, query, key, state, now, id, random: ids.random(state.serial) });
}

const longestTarget = 500;

function shortened(target: string): string {
  return target.length > longestTarget ? `${target.slice(0, longestTarget)}…` : target;
}

interface Asked extends Pick<Call, 'at' | 'method' | 'target' | 'key'> {
  readonly exchange: Exchange;
}

/** Adds the row of the log, and the deliveries of events. */
function recorded(decision: Decision, asked: Asked, service: Service): Decision {
  const { reply, detail, matched, wait } = decision;
  const { at, method, target, key, exchange } = asked;
  const [first] = decision.changes;
  // Without spreads, because V8 adds fields slowly to an object that begins with one. JSON leaves out what is undefined.
  const call: Call = {
    at,
    method,
    target,
    key,
    status: reply.status,
    message: first?.type === 'message' ? first.message.id : undefined,
    detail: detail === undefined ? undefined : redactTarget(detail),
    matched: matched?.matched,
    fault: matched?.fault,
  };
  service.exchanges.keep(call, exchange, reply);
  const changes = withDeliveries([...decision.changes, { type: 'call', call }], service.state, service.ids);
  if (!wait) return { reply, changes };
  const { ms, act } = wait;
  const recordedLater = act && ((later: number) => recorded(act(later), { ...asked, at: later }, service));
  return { reply, changes, matched, wait: { ms, act: recordedLater } };
}

/** §7: an error of the service itself. A bug is reported with its stack. */
function crashed(service: Service, error: unknown): Reply {
  const isBug = error instanceof Error && !(error instanceof CliError);
  service.warn(`the sandbox failed: ${(isBug && error.stack) || reasonOf(error)}`);
  return refused(new Refusal(500, 'the sandbox failed; see its log for the cause'));
}

export function refused(refusal: Refusal): Reply {
  const { status, message, pointer, retryAfter } = refusal;
  return errorAnswer(new Refusal(status, redact(message), { pointer, retryAfter }));
}
