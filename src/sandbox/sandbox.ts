import { randomBytes } from 'node:crypto';
import { type EndpointName, endpoints, type ErrorStatus } from '../contract/endpoints.ts';
import type { PlanName } from '../contract/plans.ts';
import { answer, refused, type Service } from './answer.ts';
import { createMinuteWindow, rateLimitOf, usageOf } from './api/admission.ts';
import { addSampleData, reset, seed } from './contents/contents.ts';
import { createFeeds, feedRows, type LogName } from './control/feed.ts';
import { glanceAt, problemsOf } from './control/glance.ts';
import { redeliver, reportForwards } from './events/deliveries.ts';
import { activeSecrets } from './events/attempt.ts';
import { Dispatcher } from './events/dispatcher.ts';
import { scheduleReceipts } from './events/emit.ts';
import { addWebhook, disableExternal, removeWebhook, rotateSecret, webhookRows } from './events/webhooks.ts';
import type { DisconnectSignal, Exchange } from './exchange.ts';
import { addFault, clearFaults, faultRows } from './faults.ts';
import { Refusal } from './refusal.ts';
import type { StateFile } from './state/file.ts';
import { createIds, newDataId, newSecret } from './state/ids.ts';
import { createKey, goLive, initialKey, keyRows, revokeKey } from './state/keys.ts';
import type { PlanSetting } from './state/records.ts';
import { type Core, createState, createStore, type State } from './state/state.ts';
import { type AdjustableClock, createClock } from './time/clock.ts';
import { createTime } from './time/time.ts';
import { trigger } from './trigger.ts';
import { viewsOf } from './views.ts';
import { createWait, createWatch } from './watch.ts';

export interface SandboxOptions {
  readonly plan?: PlanName | undefined;
  /** Requests per minute and messages per month; override the plan's limits. */
  readonly rate?: number | undefined;
  readonly monthly?: number | undefined;
  /** Endpoints to exclude from the plan. */
  readonly without?: readonly EndpointName[] | undefined;
  /** The same seed gives the same identifiers and delays, but other keys. */
  readonly seed?: string | undefined;
  readonly clock?: AdjustableClock | undefined;
  /** Where the state is saved; by default nowhere. */
  readonly file?: StateFile | undefined;
  /** Whether stored webhooks on other machines receive events (default: true). */
  readonly external?: boolean | undefined;
  /** Milliseconds of real time that a webhook has to answer (default: 15 s). */
  readonly timeout?: number | undefined;
  /** Receives warnings for the user; they never contain a key. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** Everything that can be done to a sandbox in this process. */
export type Sandbox = ReturnType<typeof createSandbox>;

export function createSandbox(options: SandboxOptions = {}) {
  const { clock = createClock(), external = true, file, warn = () => {} } = options;
  const past = file?.past;
  const state = past ?? newState(options);
  const store = createStore(state);
  const core: Core = { store, ids: createIds(state), clock, warn };
  const closing = new AbortController();
  if (file) store.follow(() => void (closing.signal.aborted || file.changed(state)));
  /** A function that changes the state, without its first argument. */
  const act =
    <A extends readonly unknown[], T>(run: (core: Core, ...args: A) => T) =>
    (...args: A): T =>
      store.change(() => run(core, ...args));
  if (past?.clock) clock.set(past.clock);
  if (!past) for (const mode of ['sandbox', 'live'] as const) act(createKey)('full', mode);
  else if (options.plan !== undefined) act(setPlan)(settingOf(options));
  act(disableExternal)(external);
  const service = { ...core, minute: createMinuteWindow(), closing: closing.signal };
  const stopReceipts = scheduleReceipts(core);
  const dispatcher = new Dispatcher(core, options.timeout);
  const settled = () => dispatcher.settled();
  return {
    /** Answers a request, without a socket. Never throws or rejects. */
    answer: (exchange: Exchange, gone?: DisconnectSignal) => answer(exchange, service, gone),
    /** Builds the answer to an unreadable request. */
    refuse: (status: ErrorStatus, detail: string) => refused(new Refusal(status, detail)),
    keys: {
      sandbox: initialKey(state, 'sandbox'),
      live: initialKey(state, 'live'),
      list: () => keyRows(state),
      create: act(createKey),
      revoke: act(revokeKey),
      goLive: act(goLive),
    },
    /** The secret that signs events, for webhooks without their own. */
    secret: () => state.secret.secret,
    /** All secrets that sign events now: the sandbox's, and those of webhooks. */
    secrets: () => [
      ...activeSecrets(state, clock.now()),
      ...state.webhooks.all().flatMap(({ secret }) => secret ?? []),
    ],
    clock,
    faults: { add: act(addFault), list: () => faultRows(state), clear: act(clearFaults) },
    webhooks: {
      add: act(addWebhook),
      list: () => webhookRows(state),
      remove: act(removeWebhook),
      rotate: act(rotateSecret),
    },
    redeliver: act(redeliver),
    reportForwards: act(reportForwards),
    /** Resolves when no delivery is in flight or ready to send. */
    settled,
    time: createTime(core, settled),
    trigger: act(trigger),
    reset: act(reset),
    seed: act(seed),
    sendAgain: (id: string) => sendAgain(id, service),
    watch: createWatch(store),
    openFeed: createFeeds(store, clock),
    /** The records before a cursor, as the feed has them. */
    older: (log: LogName, before: number, limit: number) => feedRows(state, log, Math.max(0, before - limit), before),
    problems: () => problemsOf(state),
    glance: (wanted: Parameters<typeof glanceAt>[1]) => glanceAt(state, wanted),
    waitForNext: createWait(store),
    setPlan: act(setPlan),
    usage: () => usageOf(state, service.minute, clock.now()),
    /** The shared rate limit; undefined if the plan has none. */
    minute: () => rateLimitOf(state.plan, clock.setting()),
    /** Identifies the messages and contacts of this sandbox; resetting either changes it. */
    dataId: () => state.dataId,
    ...viewsOf(state),
    /** Cancels all timers and deliveries. */
    close() {
      closing.abort();
      clock.stop();
      stopReceipts();
      dispatcher.close();
    },
  };
}

function newState(options: SandboxOptions): State {
  const state = createState({
    serial: 0,
    seed: options.seed ?? randomBytes(16).toString('hex'),
    dataId: newDataId(),
    secret: { secret: newSecret() },
    live: false,
    plan: settingOf(options),
    clock: null,
    months: {},
  });
  addSampleData(state);
  return state;
}

function setPlan({ store }: Core, plan: PlanSetting): void {
  store.state.plan = plan;
  store.happened({ type: 'plan' });
}

function settingOf({ plan = 'enterprise', rate, monthly, without = [] }: SandboxOptions): PlanSetting {
  return { name: plan, perMinute: rate, perMonth: monthly, without };
}

/** Sends the request of a message once more, as its client did: with all checks, faults and a row in the log. */
async function sendAgain(id: string, service: Service) {
  const { messages, keys } = service.store.state;
  const message = messages.get(id);
  if (!message) throw new Refusal(404, `there is no message ${id}`);
  const { to, template, params, key: keyId } = message;
  const key = keys.all().find(({ id }) => id === keyId);
  const { method, path: target } = endpoints.sendTemplate;
  const headers = { authorization: `Bearer ${key?.text}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ to, template, params });
  const before = messages.next;
  const { status } = await answer({ method, target, headers, body }, service);
  return { status, message_id: messages.between(before)[0]?.id ?? null };
}
