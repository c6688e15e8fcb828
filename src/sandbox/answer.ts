import { redact, redactTarget } from '../base/redact.ts';
import { callerOf, endpointAt, isAllowed, knownAt, limitsOf, type MinuteWindow, type Rate } from './api/admission.ts';
import { errorAnswer, rateHeaders } from './api/answers.ts';
import { isTooLarge } from './api/bodies.ts';
import { type Decision, underFaults, type Wait } from './api/fault-effects.ts';
import { handlers, type Outcome } from './api/handlers.ts';
import type { Shape } from './api/shapes.ts';
import { type Exchange, type Gone, type Reply, targetOf } from './exchange.ts';
import { drawFault, type FaultDraw } from './faults/faults.ts';
import { Refusal } from './refusal.ts';
import type { Ids } from './state/ids.ts';
import type { Store } from './state/store.ts';
import type { Call, Change, FaultRecord, Key } from './state/records.ts';
import type { State } from './state/state.ts';
import { type Clock, sleep } from './time/clock.ts';

interface Office {
  readonly desk: Desk;
  readonly store: Store;
  /** Aborted when the sandbox closes: nothing is recorded after that. */
  readonly closing: AbortSignal;
}

/** From the decision to its commit and the answer, for which only a fault has its caller wait. It never rejects. */
export function carryOut(exchange: Exchange, office: Office, gone?: Gone): Reply | Promise<Reply> {
  try {
    const decision = decide(exchange, office.desk);
    if (decision.wait) return slowly(decision, decision.wait, office, gone);
    office.store.commit(decision.changes);
    return decision.reply;
  } catch (error) {
    return crashed(office.desk, error);
  }
}

async function slowly(decision: Decision, wait: Wait, office: Office, gone?: Gone): Promise<Reply> {
  try {
    return await inTime(decision, wait, office, gone);
  } catch (error) {
    return crashed(office.desk, error);
  }
}

async function inTime(decision: Decision, { ms, act }: Wait, office: Office, gone?: Gone): Promise<Reply> {
  const { desk, store, closing } = office;
  const signal = gone ? AbortSignal.any([closing, gone()]) : closing;
  if (!act) {
    store.commit(decision.changes);
    await hasPassed(ms, signal);
    return decision.reply;
  }
  const { matched = {} } = decision;
  desk.underway.add(matched);
  const stayed = await hasPassed(ms, signal);
  desk.underway.delete(matched);
  if (closing.aborted) return decision.reply;
  const { changes, reply } = stayed ? act(desk.clock.now()) : decision;
  store.commit(changes);
  return reply;
}

/** On the wall, since the sandbox's clock may stand still; false when nobody waits any more. */
function hasPassed(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, signal).then(
    () => true,
    () => false,
  );
}

/** What decisions are taken from. */
interface Desk {
  readonly state: State;
  readonly shape: Shape;
  readonly ids: Ids;
  readonly minute: MinuteWindow;
  readonly clock: Clock;
  /** FaultRecord, but not committed yet. */
  readonly underway: Set<FaultRecord>;
  /** Told of what should not have happened. */
  warn(text: string): void;
}

/** From a request to its answer and all that it changes, the row in the key's audit log included (§5.8). */
function decide(exchange: Exchange, desk: Desk): Decision {
  const now = desk.clock.now();
  const { key, refusal } = callerOf(exchange.headers['authorization'], desk.state);
  const decision = attempt(desk, () => {
    if (isTooLarge(exchange.body)) throw new Refusal(400, 'the body is larger than 1 MiB');
    if (!key || refusal !== undefined) throw new Refusal(401, refusal ?? 'the key is invalid');
    return admitted(exchange, desk, key, now);
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

/** §7: a fault on the service side. */
function crashed(desk: Desk, error: unknown): Reply {
  desk.warn(`the sandbox failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return refused(desk, new Refusal(500, 'the sandbox failed; its log says why'));
}

export function refused({ shape, clock }: Pick<Desk, 'shape' | 'clock'>, refusal: Refusal): Reply {
  const { status, message, pointer, retryAfter } = refusal;
  return errorAnswer(shape, new Refusal(status, redact(message), { pointer, retryAfter }), clock.wall());
}

function admitted(exchange: Exchange, desk: Desk, key: Key, now: number): Decision {
  const rate = desk.minute.take(now, limitsOf(desk.state.plan).perMinute);
  const served = (at: number): Outcome => {
    const { reply, ...rest } = attempt(desk, () => {
      checkMinute(rate);
      return serve(exchange, desk, key, at);
    });
    if (!rate) return { reply, ...rest };
    return { reply: { ...reply, headers: { ...reply.headers, ...rateHeaders(desk.shape, rate) } }, ...rest };
  };
  if (rate?.exceeded) return served(now);
  const draw = drawFor(exchange, desk, now);
  // Nearly always there is no fault.
  return draw.matched.length === 0 ? served(now) : underFaults(draw, { ...desk, now }, served);
}

/** The minute counts what a fault strikes, and what it refuses no fault is matched for. */
function drawFor({ method, target }: Exchange, { state, underway }: Desk, now: number): FaultDraw {
  const endpoint = state.faults.size === 0 ? undefined : knownAt(method, targetOf(target).path);
  return endpoint ? drawFault(state, endpoint, now, underway) : { matched: [] };
}

// §8.1
function checkMinute(rate: Rate | undefined): void {
  if (!rate?.exceeded) return;
  throw new Refusal(429, `the plan's ${rate.limit} requests per minute are exceeded`, { retryAfter: rate.reset });
}

/** The document sets no order of checks: path, plan, scope, then what the endpoint itself demands. */
function serve(exchange: Exchange, { state, shape, ids }: Desk, key: Key, now: number): Outcome {
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

function attempt(desk: Desk, run: () => Decision): Decision {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refusal)) return { reply: crashed(desk, error), changes: [] };
    return { reply: refused(desk, error), changes: [], detail: error.message };
  }
}
