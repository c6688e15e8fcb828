import { randomBytes } from 'node:crypto';
import type { EndpointName } from '../contract/endpoints.ts';
import type { PlanName } from '../contract/plans.ts';
import type { ErrorStatus } from '../contract/statuses.ts';
import { bearsRealLiveKey, createMinuteWindow, realLiveKey } from './api/admission.ts';
import { carryOut, refused } from './answer.ts';
import type { Change, FaultRecord, PlanSetting } from './state/records.ts';
import { type AdjustableClock, createClock } from './time/clock.ts';
import { awaiting, compactAsItGrows, compactOnOpen, type Happening, openStore, type Journal } from './state/store.ts';
import { type Contents, createContents } from './contents/contents.ts';
import { createWebhooks, type Webhooks, disableExternal } from './events/webhooks.ts';
import { createDispatcher } from './events/dispatcher.ts';
import { createIds, newDataId } from './state/ids.ts';
import { createRedeliver } from './events/deliveries.ts';
import { withFanOut } from './events/fan-out.ts';
import type { Exchange, Gone, Reply } from './exchange.ts';
import { createFaults, type Faults } from './faults/faults.ts';
import { createKeys, type Keys, opening } from './state/keys.ts';
import { type Minute, minuteOf } from './remote/minute.ts';
import { Refusal } from './refusal.ts';
import { scheduleReceipts } from './time/receipt-timer.ts';
import { shapeNamed } from './api/shapes.ts';
import { createTime, type Time } from './time/time.ts';
import { createTrigger, type Trigger } from './trigger/trigger.ts';
import { type Views, viewsOf } from './queries.ts';

export interface SandboxOptions {
  readonly plan?: PlanName | undefined;
  /** Requests a minute and messages a month, in place of the plan's own. */
  readonly rate?: number | undefined;
  readonly monthly?: number | undefined;
  /** Endpoints that the plan does not include. */
  readonly without?: readonly EndpointName[] | undefined;
  /** `default`, `bare` or `vary:SEED`. */
  readonly shape?: string | undefined;
  /** The same seed gives the same keys, identifiers and delays. */
  readonly seed?: string | undefined;
  readonly clock?: AdjustableClock | undefined;
  readonly journal?: Journal | undefined;
  /** Whether events go to webhooks on other machines that the journal brings with it (default: true). */
  readonly external?: boolean | undefined;
  /** Milliseconds by the wall within which a webhook has to answer (15 s). */
  readonly timeout?: number | undefined;
  /** Told of what its user must hear; no key is ever in it. */
  readonly warn?: ((text: string) => void) | undefined;
}

export interface Sandbox extends Views, Contents {
  /** From a request to an answer, without a socket, until the caller is gone. It never throws and never rejects. */
  answer(exchange: Exchange, gone?: Gone): Reply | Promise<Reply>;
  /** The answer to what could not even be read. */
  refuse(status: ErrorStatus, detail: string): Reply;
  readonly keys: Keys;
  /** What signs events, unless a webhook has its own. */
  secret(): string;
  readonly shape: string;
  readonly clock: AdjustableClock;
  readonly time: Time;
  readonly webhooks: Webhooks;
  /** Begins a delivery anew, those of an event, or all `failed` ones, at once; says how many. */
  redeliver(which: string): number;
  /** Resolves when nothing is on its way to a webhook, and nothing could leave now. */
  settled(): Promise<void>;
  /** What goes wrong on purpose. */
  readonly faults: Faults;
  readonly trigger: Trigger;
  /** Settles at the next event or request, or when nobody waits any more. */
  happening(type: Happening, signal: AbortSignal): Promise<void>;
  setPlan(plan: PlanSetting): void;
  /** What callers have to keep to; undefined where nothing limits them. */
  minute(): Minute | undefined;
  /** Identifies the messages and contacts it holds; a reset of either renews it. */
  dataId(): string;
  /** Calls the listener after what its locator contains may have changed: the minute or the data id. */
  onLocatorChange(listener: () => void): void;
  /** Calls off what is still due. */
  close(): void;
}

const inLocator: ReadonlySet<Change['type']> = new Set(['plan', 'clock', 'reset']);

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { clock = createClock(), shape: shapeName = 'default', external = true } = options;
  const warn = options.warn ?? (() => {});
  const opened = openStore(options.journal);
  compactOnOpen(opened, warn);
  const seed = opened.state.seed || (options.seed ?? randomBytes(16).toString('hex'));
  const [shape, ids] = [shapeNamed(shapeName), createIds(seed)];
  const store = withFanOut(opened, ids);
  const { state, commit } = store;
  if (state.serial === 0) commit(opening(seed, ids, settingOf(options)));
  else if (options.plan !== undefined) commit([{ type: 'plan', plan: settingOf(options) }]);
  if (state.dataId === '') commit([{ type: 'seed', seed, dataId: newDataId() }]);
  if (state.clock) clock.set(state.clock);
  disableExternal(state, external, warn);
  const desk = { state, shape, ids, minute: createMinuteWindow(), clock, underway: new Set<FaultRecord>(), warn };
  const closing = new AbortController();
  const leaveLong = compactAsItGrows(opened, warn);
  const callOff = scheduleReceipts({ store, clock, ids, warn });
  const dispatcher = createDispatcher({ store, clock, ids, shape, timeout: options.timeout, warn });
  return {
    answer: (exchange, gone) => {
      if (bearsRealLiveKey(exchange.headers['authorization'])) warn(realLiveKey);
      return carryOut(exchange, { desk, store, closing: closing.signal }, gone);
    },
    refuse: (status, detail) => refused(desk, new Refusal(status, detail)),
    keys: createKeys({ state, ids, clock, commit }),
    secret: () => state.secret.secret,
    shape: shapeName,
    clock,
    faults: createFaults({ store, ids, clock }),
    webhooks: createWebhooks({ store, ids, clock }),
    redeliver: createRedeliver({ store, ids, clock }),
    settled: dispatcher.settled,
    time: createTime({ store, clock, settled: dispatcher.settled }),
    trigger: createTrigger({ store, ids, clock }),
    ...createContents({ store, ids, clock, warn }),
    happening: awaiting(store),
    setPlan: (plan) => commit([{ type: 'plan', plan }]),
    minute: () => minuteOf(state.plan, clock.setting()),
    dataId: () => state.dataId,
    onLocatorChange: (listener) => store.follow(({ type }) => (inLocator.has(type) ? listener() : undefined)),
    ...viewsOf(state, shape),
    close() {
      closing.abort();
      clock.stop();
      callOff();
      dispatcher.close();
      leaveLong();
    },
  };
}

function settingOf({ plan = 'enterprise', rate, monthly, without = [] }: SandboxOptions): PlanSetting {
  return { name: plan, perMinute: rate, perMonth: monthly, without };
}
