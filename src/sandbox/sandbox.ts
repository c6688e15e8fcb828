import { randomBytes } from 'node:crypto';
import type { EndpointName } from '../contract/endpoints.ts';
import type { PlanName } from '../contract/plans.ts';
import { createMinuteWindow, limitsOf, usageOf } from './api/admission.ts';
import { answer, answerAll, refused } from './answer.ts';
import type { Change, FaultRecord, PlanSetting } from './state/records.ts';
import { type AdjustableClock, type ClockSetting, createClock } from './time/clock.ts';
import { createWait, compactAsItGrows, compactIfObsolete, openStore, type Journal } from './state/store.ts';
import { createContents } from './contents/contents.ts';
import { createWebhooks, disableExternal } from './events/webhooks.ts';
import { activeSecrets } from './events/attempt.ts';
import { createDispatcher } from './events/dispatcher.ts';
import { createIds, newDataId } from './state/ids.ts';
import { createRedeliver } from './events/deliveries.ts';
import type { Sandbox } from './interface.ts';
import { createExchanges } from './requests.ts';
import { createFaults } from './faults/faults.ts';
import { createKeys, initialChanges } from './state/keys.ts';
import type { RateLimit } from './remote/locator.ts';
import { Refusal } from './refusal.ts';
import { scheduleReceipts } from './state/receipts.ts';
import { shapeNamed } from './api/shapes.ts';
import { createTime } from './time/time.ts';
import { createTrigger } from './trigger/trigger.ts';
import { createFeeds, createWatch } from './feed.ts';
import { viewsOf } from './views.ts';

export interface SandboxOptions {
  readonly plan?: PlanName | undefined;
  /** Requests per minute and messages per month; override the plan's limits. */
  readonly rate?: number | undefined;
  readonly monthly?: number | undefined;
  /** Endpoints to exclude from the plan. */
  readonly without?: readonly EndpointName[] | undefined;
  /** `default`, `bare` or `vary:SEED`. */
  readonly shape?: string | undefined;
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

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { clock = createClock(), shape: shapeName = 'default', external = true } = options;
  const warn = options.warn ?? (() => {});
  const store = openStore(options.journal);
  const { state, commit } = store;
  compactIfObsolete(store, warn);
  const seed = state.seed || (options.seed ?? randomBytes(16).toString('hex'));
  const [shape, ids] = [shapeNamed(shapeName), createIds(seed)];
  if (state.serial === 0) commit(initialChanges(seed, settingOf(options)));
  else if (options.plan !== undefined) commit([{ type: 'plan', plan: settingOf(options) }]);
  if (state.dataId === '') commit([{ type: 'seed', seed, dataId: newDataId() }]);
  if (state.clock) clock.set(state.clock);
  disableExternal(state, external, warn);
  const exchanges = createExchanges();
  const uncommitted = new Set<FaultRecord>();
  const service = { state, shape, ids, minute: createMinuteWindow(), clock, uncommitted, exchanges, warn };
  const closing = new AbortController();
  const runtime = { service, store, closing: closing.signal };
  const stopCompacting = compactAsItGrows(store, warn);
  const cancelReceipts = scheduleReceipts({ store, clock, ids, warn });
  const dispatcher = createDispatcher({ store, clock, ids, shape, timeout: options.timeout, warn });
  return {
    answer: (exchange, gone) => answer({ exchange, gone }, runtime),
    answerAll: (asked) => answerAll(asked, runtime),
    refuse: (status, detail) => refused(service, new Refusal(status, detail)),
    keys: createKeys({ state, ids, clock, commit }),
    secret: () => state.secret.secret,
    secrets: () =>
      [state.secret, ...[...state.webhooks.values()].flatMap(({ secret }) => secret ?? [])].flatMap((one) =>
        activeSecrets(one, clock.now()),
      ),
    shape: shapeName,
    clock,
    faults: createFaults({ store, ids, clock }),
    webhooks: createWebhooks({ store, ids, clock }),
    redeliver: createRedeliver({ store, ids, clock }),
    settled: dispatcher.settled,
    time: createTime({ store, clock, settled: dispatcher.settled }),
    trigger: createTrigger({ store, ids, clock }),
    ...createContents({ store, ids, clock, warn }),
    watch: createWatch(store),
    exchanges: () => exchanges.list(state),
    openFeed: createFeeds(store, clock),
    waitForNext: createWait(store),
    setPlan: (plan) => commit([{ type: 'plan', plan }]),
    usage: () => usageOf(state, service.minute, clock.now()),
    minute: () => minuteOf(state.plan, clock.setting()),
    dataId: () => state.dataId,
    onLocatorChange: (listener) => store.follow(({ type }) => (inLocator.has(type) ? listener() : undefined)),
    ...viewsOf(state, shape),
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
