import { randomBytes } from 'node:crypto';
import type { EndpointName } from '../contract/endpoints.ts';
import type { PlanName } from '../contract/plans.ts';
import { createMinuteWindow, limitsOf, usageOf } from './api/admission.ts';
import type { ErrorStatus } from '../contract/statuses.ts';
import { answer, answerAll, type Incoming, refused } from './answer.ts';
import type { DisconnectSignal, Exchange } from './exchange.ts';
import type { Change, FaultRecord, PlanSetting } from './state/records.ts';
import { type AdjustableClock, type ClockSetting, createClock } from './time/clock.ts';
import { createWait, compactAsItGrows, compactIfObsolete, openStore, type Journal } from './state/store.ts';
import { createContents } from './contents/contents.ts';
import { createWebhooks, disableExternal } from './events/webhooks.ts';
import { activeSecrets } from './events/attempt.ts';
import { createDispatcher } from './events/dispatcher.ts';
import { createIds } from './state/ids.ts';
import { createRedeliver, createReportForwards } from './events/deliveries.ts';
import { createExchanges } from './requests.ts';
import { createFaults } from './faults.ts';
import { createKeys, initialChanges } from './state/keys.ts';
import type { RateLimit } from './rows.ts';
import { Refusal } from './refusal.ts';
import { scheduleReceipts } from './events/receipts.ts';
import { createTime } from './time/time.ts';
import { audienceOf, createTrigger } from './trigger/trigger.ts';
import { createFeeds, createWatch } from './feed.ts';
import { viewsOf } from './views.ts';

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
  readonly journal?: Journal | undefined;
  /** Whether stored webhooks on other machines receive events (default: true). */
  readonly external?: boolean | undefined;
  /** Milliseconds of real time that a webhook has to answer (default: 15 s). */
  readonly timeout?: number | undefined;
  /** Receives warnings for the user; they never contain a key. */
  readonly warn?: ((text: string) => void) | undefined;
}

const inLocator: ReadonlySet<Change['type']> = new Set(['plan', 'clock', 'reset']);

/** Everything that can be done to a sandbox in this process. */
export type Sandbox = ReturnType<typeof createSandbox>;

export function createSandbox(options: SandboxOptions = {}) {
  const { clock = createClock(), external = true } = options;
  const warn = options.warn ?? (() => {});
  const store = openStore(options.journal);
  const { state, commit } = store;
  compactIfObsolete(store, warn);
  const seed = state.seed || (options.seed ?? randomBytes(16).toString('hex'));
  const ids = createIds(seed);
  if (state.serial === 0) commit(initialChanges(seed, settingOf(options)));
  else if (options.plan !== undefined) commit([{ type: 'plan', plan: settingOf(options) }]);
  if (state.clock) clock.set(state.clock);
  disableExternal(state, external, warn);
  const exchanges = createExchanges();
  const uncommitted = new Set<FaultRecord>();
  const service = { state, ids, minute: createMinuteWindow(), clock, uncommitted, exchanges, warn };
  const core = { store, ids, clock, warn };
  const closing = new AbortController();
  const runtime = { service, store, closing: closing.signal };
  const stopCompacting = compactAsItGrows(store, warn);
  const cancelReceipts = scheduleReceipts(core);
  const dispatcher = createDispatcher({ ...core, timeout: options.timeout });
  return {
    /** Answers a request, without a socket. Never throws or rejects. */
    answer: (exchange: Exchange, gone?: DisconnectSignal) => answer({ exchange, gone }, runtime),
    /** Answers requests in order, and journals their changes in one write. */
    answerAll: <T extends Incoming>(asked: readonly T[]) => answerAll(asked, runtime),
    /** Builds the answer to an unreadable request. */
    refuse: (status: ErrorStatus, detail: string) => refused(new Refusal(status, detail)),
    keys: createKeys(core),
    /** The secret that signs events, for webhooks without their own. */
    secret: () => state.secret.secret,
    /** All secrets that sign events now: the sandbox's, and those of webhooks. */
    secrets: (): readonly string[] =>
      [state.secret, ...[...state.webhooks.values()].flatMap(({ secret }) => secret ?? [])].flatMap((one) =>
        activeSecrets(one, clock.now()),
      ),
    clock,
    faults: createFaults(core),
    webhooks: createWebhooks(core),
    redeliver: createRedeliver(core),
    reportForwards: createReportForwards(core),
    /** Resolves when no delivery is in flight or ready to send. */
    settled: dispatcher.settled,
    time: createTime({ ...core, settled: dispatcher.settled }),
    trigger: createTrigger(core),
    /** The number of contacts that a broadcast sends to: all, or those with a tag. Throws a Refusal if that is 0. */
    audience: (tag?: string) => audienceOf({ tag }, state).length,
    ...createContents(core),
    watch: createWatch(store),
    /** The bytes of the newest requests and their answers, in order. */
    exchanges: () => exchanges.list(state),
    openFeed: createFeeds(store, clock),
    waitForNext: createWait(store),
    setPlan: (plan: PlanSetting) => commit([{ type: 'plan', plan }]),
    usage: () => usageOf(state, service.minute, clock.now()),
    /** The shared rate limit; undefined if the plan has none. */
    minute: () => minuteOf(state.plan, clock.setting()),
    /** Identifies the messages and contacts of this sandbox; resetting either changes it. */
    dataId: () => state.dataId,
    /** Calls the listener when the minute or the data id may have changed, which are part of the locator. */
    onLocatorChange: (listener: () => void) =>
      store.follow(({ type }) => (inLocator.has(type) ? listener() : undefined)),
    ...viewsOf(state),
    /** Cancels all timers and deliveries. */
    close() {
      closing.abort();
      clock.stop();
      cancelReceipts();
      dispatcher.close();
      stopCompacting();
    },
  };
}

function settingOf({ plan = 'enterprise', rate, monthly, without = [] }: SandboxOptions): PlanSetting {
  return { name: plan, perMinute: rate, perMonth: monthly, without };
}

/** The limit that clients on this machine may rely on: none while the clock is frozen, because waiting would not end the minute. */
function minuteOf(plan: PlanSetting, clock: ClockSetting): RateLimit | undefined {
  const limit = limitsOf(plan).perMinute;
  if (!limit || 'frozen' in clock) return undefined;
  return { limit, moved: Math.floor(clock.ahead / 60_000) };
}
