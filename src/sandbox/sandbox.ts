import { randomBytes } from 'node:crypto';
import type { EndpointName } from '../contract/endpoints.ts';
import type { PlanName } from '../contract/plans.ts';
import type { ErrorStatus } from '../contract/statuses.ts';
import { bearsRealLiveKey, createMinuteWindow, realLiveKey } from './api/admission.ts';
import { carryOut, refused } from './answer.ts';
import type { Change, Drawn, PlanSetting } from './state/records.ts';
import { type AdjustableClock, createClock } from './time/clock.ts';
import {
  awaiting,
  compactAsItGrows,
  compactIfWorthwhile,
  type Happening,
  openLedger,
  type Store,
} from './state/ledger.ts';
import { type Contents, createContents } from './contents/contents.ts';
import { createWebhooks, type Webhooks, withholdExternal } from './events/webhooks.ts';
import { createCourier } from './events/dispatcher.ts';
import { createMint, newDataId } from './state/ids.ts';
import { redelivering } from './events/deliveries.ts';
import { delivering } from './events/fan-out.ts';
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
  readonly store?: Store | undefined;
  /** Whether events go to webhooks on other machines that the store brings with it (default: true). */
  readonly external?: boolean | undefined;
  /** Milliseconds by the wall within which a webhook has to answer (15 s). */
  readonly patience?: number | undefined;
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
  const opened = openLedger(options.store);
  compactIfWorthwhile(opened, warn);
  const seed = opened.state.seed || (options.seed ?? randomBytes(16).toString('hex'));
  const [shape, mint] = [shapeNamed(shapeName), createMint(seed)];
  const ledger = delivering(opened, mint);
  const { state, commit } = ledger;
  if (state.serial === 0) commit(opening(seed, mint, settingOf(options)));
  else if (options.plan !== undefined) commit([{ type: 'plan', plan: settingOf(options) }]);
  if (state.dataId === '') commit([{ type: 'seed', seed, dataId: newDataId() }]);
  if (state.clock) clock.set(state.clock);
  withholdExternal(state, external, warn);
  const desk = { state, shape, mint, minute: createMinuteWindow(), clock, underway: new Set<Drawn>(), warn };
  const closing = new AbortController();
  const leaveLong = compactAsItGrows(opened, warn);
  const callOff = scheduleReceipts({ ledger, clock, mint, warn });
  const courier = createCourier({ ledger, clock, mint, shape, patience: options.patience, warn });
  return {
    answer: (exchange, gone) => {
      if (bearsRealLiveKey(exchange.headers['authorization'])) warn(realLiveKey);
      return carryOut(exchange, { desk, ledger, closing: closing.signal }, gone);
    },
    refuse: (status, detail) => refused(desk, new Refusal(status, detail)),
    keys: createKeys({ state, mint, clock, commit }),
    secret: () => state.secret.secret,
    shape: shapeName,
    clock,
    faults: createFaults({ ledger, mint, clock }),
    webhooks: createWebhooks({ ledger, mint, clock }),
    redeliver: redelivering({ ledger, mint, clock }),
    settled: courier.settled,
    time: createTime({ ledger, clock, settled: courier.settled }),
    trigger: createTrigger({ ledger, mint, clock }),
    ...createContents({ ledger, mint, clock, warn }),
    happening: awaiting(ledger),
    setPlan: (plan) => commit([{ type: 'plan', plan }]),
    minute: () => minuteOf(state.plan, clock.setting()),
    dataId: () => state.dataId,
    onLocatorChange: (listener) => ledger.follow(({ type }) => (inLocator.has(type) ? listener() : undefined)),
    ...viewsOf(state, shape),
    close() {
      closing.abort();
      clock.stop();
      callOff();
      courier.close();
      leaveLong();
    },
  };
}

function settingOf({ plan = 'enterprise', rate, monthly, without = [] }: SandboxOptions): PlanSetting {
  return { name: plan, perMinute: rate, perMonth: monthly, without };
}
