import { setTimeout as wait } from 'node:timers/promises';
import { CliError, reasonOf } from '../base/errors.ts';
import { redact, redactTarget } from '../base/redact.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import {
  type Caller,
  callerOf,
  findEndpoint,
  hasRealLiveKey,
  isAllowed,
  limitsOf,
  type MinuteWindow,
  type Rate,
  realLiveKey,
  whyNoEndpoint,
} from './api/admission.ts';
import { errorAnswer, rateHeaders } from './api/answers.ts';
import { handlers } from './api/handlers.ts';
import { type DisconnectSignal, type Exchange, isTooLarge, type Outcome, type Reply, targetOf } from './exchange.ts';
import { drawFault } from './faults.ts';
import { Refusal } from './refusal.ts';
import { type Fault, isOnAnswers } from './state/records.ts';
import type { Core } from './state/state.ts';

/** Returns a promise only if a fault delays the answer; it never rejects. */
export type Answer = Reply | Promise<Reply>;

export interface Service extends Core {
  readonly minute: MinuteWindow;
  /** Aborted when the sandbox closes; nothing is recorded after that. */
  readonly closing: AbortSignal;
}

/** The document leaves the order of checks open. Ours: size, key, minute, faults, path, plan, scope, and the rest. */
export function answer(exchange: Exchange, service: Service, gone?: DisconnectSignal): Answer {
  try {
    return service.store.change(() => {
      const request = parse(exchange, service, gone);
      const refusal = admit(request, service);
      if (refusal) return log(request, rejected(refusal, request.rate), service);
      const fault = request.endpoint && drawFault(service.store.state, request.endpoint);
      if (fault) return failing(request, fault, service);
      return log(request, act(request, service), service);
    });
  } catch (error) {
    return crashed(service, error);
  }
}

interface Request {
  readonly exchange: Exchange;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Undefined if no endpoint has this path. */
  readonly endpoint: EndpointName | undefined;
  readonly caller: Caller;
  readonly now: number;
  /** Counted by `admit`; undefined without a limit. */
  rate: Rate | undefined;
  readonly gone: DisconnectSignal | undefined;
}

function parse(exchange: Exchange, { store, clock }: Service, gone?: DisconnectSignal): Request {
  const { method, headers, target } = exchange;
  const { path, query } = targetOf(target);
  const endpoint = findEndpoint(method, path);
  const caller = callerOf(headers['authorization'], store.state);
  return { exchange, path, query, endpoint, caller, now: clock.now(), rate: undefined, gone };
}

/** Returns why a request is refused before its path matters. */
function admit(request: Request, { store, minute, warn }: Service): Refusal | undefined {
  const { exchange, caller, now } = request;
  if (!caller.key && hasRealLiveKey(exchange.headers.authorization)) warn(realLiveKey);
  if (isTooLarge(exchange.body)) return new Refusal(400, 'the body is larger than 1 MiB');
  if (caller.refusal !== undefined) return new Refusal(401, caller.refusal);
  request.rate = minute.take(now, limitsOf(store.state.plan).perMinute);
  if (!request.rate?.exceeded) return undefined;
  const { limit, reset } = request.rate;
  // §8.1
  return new Refusal(429, `the plan's ${limit} requests per minute are exceeded`, { retryAfter: reset });
}

/** A latency is a timer. Other faults answer now, before or after the request is carried out. */
function failing(request: Request, fault: Fault, service: Service): Answer {
  const { id, effect, after } = fault;
  if (!isOnAnswers(effect)) return log(request, act(request, service), service);
  if (effect.kind === 'latency') return delayed(request, { ...fault, ms: effect.ms }, service);
  const outcome = after ? act(request, service) : undefined;
  const reply = effect.kind === 'status' ? statusAnswer(effect.status, id) : noAnswer(effect.kind);
  const what = effect.kind === 'status' ? `status ${effect.status}` : effect.kind;
  const detail = joined(`${what}, ${after ? 'after execution' : 'not executed'}`, outcome?.detail);
  return log(request, { reply, message: outcome?.message, detail, fault: id }, service);
}

/** Waits in real time, since the sandbox's clock may be frozen. If the client disconnects, the request is not executed. */
function delayed(request: Request, { id, ms, after }: Fault & { readonly ms: number }, service: Service): Answer {
  const { closing, clock, store } = service;
  const run = (now: number) => {
    const { reply, message, detail } = act({ ...request, now }, service);
    return log({ ...request, now }, { reply, message, detail: joined(`latency ${ms} ms`, detail), fault: id }, service);
  };
  const reply = after ? run(request.now) : undefined;
  const signal = request.gone ? AbortSignal.any([closing, request.gone()]) : closing;
  return wait(ms, undefined, { signal })
    .then(
      () => reply ?? store.change(() => run(clock.now())),
      () => {
        if (reply || closing.aborted) return reply ?? noAnswer('hang');
        const detail = `latency ${ms} ms; the client disconnected before execution`;
        return store.change(() => log(request, { reply: noAnswer('hang'), detail, fault: id }, service));
      },
    )
    .catch((error: unknown) => crashed(service, error));
}

/** Carries a request out. */
function act(request: Request, service: Service): Outcome {
  try {
    const { reply, message } = handle(request, service);
    return { reply: withRate(reply, request.rate), message };
  } catch (error) {
    if (error instanceof Refusal) return rejected(error, request.rate);
    return { reply: crashed(service, error) };
  }
}

/** Checks the path, the plan and the scope; the endpoint's handler checks the rest. */
function handle({ exchange, path, query, endpoint, caller: { key }, now }: Request, service: Service): Outcome {
  if (!endpoint) throw new Refusal(404, whyNoEndpoint(exchange.method, path));
  if (!key) throw new Refusal(401, 'the key is invalid');
  // §5.7
  if (service.store.state.plan.without.includes(endpoint))
    throw new Refusal(403, 'the plan does not include access to the endpoint');
  if (!isAllowed(key.scope, endpoint))
    throw new Refusal(403, `the key's scope, ${key.scope}, does not allow this endpoint`);
  return handlers[endpoint]({ exchange, query, key, now }, service);
}

/** Adds the row of the log, which is also the key's audit log (§5.8). */
function log(request: Request, { reply, message, detail, fault }: Outcome, service: Service): Reply {
  const { exchange, caller, now } = request;
  const call = {
    at: now,
    method: exchange.method,
    target: redactTarget(exchange.target),
    key: caller.key?.id,
    status: reply.status,
    message,
    detail: detail === undefined ? undefined : redactTarget(detail),
    fault,
  };
  service.store.state.requests.put(call);
  service.store.happened({ type: 'request', call });
  return reply;
}

function rejected(refusal: Refusal, rate: Rate | undefined): Outcome {
  return { reply: withRate(refused(refusal), rate), detail: refusal.message };
}

function withRate(reply: Reply, rate: Rate | undefined): Reply {
  return rate ? { ...reply, headers: { ...reply.headers, ...rateHeaders(rate) } } : reply;
}

function noAnswer(fault: 'reset' | 'hang'): Reply {
  return { status: 0, headers: {}, body: '', fault };
}

function statusAnswer(status: number, fault: string): Reply {
  const retryAfter = status === 429 ? 1_000 : undefined;
  return errorAnswer({ status, message: `injected by fault ${fault}`, retryAfter });
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('; ');
}

/** §7: an error of the service itself. A bug is reported with its stack. */
function crashed({ warn }: Service, error: unknown): Reply {
  const isBug = error instanceof Error && !(error instanceof CliError);
  warn(`the sandbox failed: ${(isBug && error.stack) || reasonOf(error)}`);
  return refused(new Refusal(500, 'the sandbox failed; see its log for the cause'));
}

export function refused({ status, message, details }: Refusal): Reply {
  return errorAnswer({ status, message: redact(message), ...details });
}
