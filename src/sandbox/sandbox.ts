import { randomBytes } from 'node:crypto';
import type { EndpointName } from '../contract/endpoints.ts';
import type { PlanName } from '../contract/plans.ts';
import type { ErrorStatus } from '../contract/statuses.ts';
import { payloadOf } from './answers.ts';
import { bearsRealLiveKey } from './callers.ts';
import type { Call, Campaign, Contact, Message, PlanSetting, SandboxEvent, Template } from './changes.ts';
import { realClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { crashed, decide, refused } from './decide.ts';
import type { Desk } from './decide.ts';
import type { Exchange, Reply } from './exchange.ts';
import { createKeys, opening } from './keys.ts';
import type { Keys } from './keys.ts';
import { openLedger } from './ledger.ts';
import type { Ledger, Store } from './ledger.ts';
import { createMinuteWindow } from './limits.ts';
import { createMint } from './random.ts';
import { statusOf } from './receipts.ts';
import { Refusal } from './refusal.ts';
import { shapeNamed } from './shapes.ts';
import type { Shape } from './shapes.ts';
import type { State } from './state.ts';

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
  readonly clock?: Clock | undefined;
  readonly store?: Store | undefined;
  /** Told of what its user must hear; no key is ever in it. */
  readonly warn?: ((text: string) => void) | undefined;
}

export interface Sandbox extends Views {
  /** From a request to an answer, without a socket. It never rejects. */
  answer(exchange: Exchange): Promise<Reply>;
  /** The answer to what could not even be read. */
  refuse(status: ErrorStatus, detail: string): Reply;
  readonly keys: Keys;
  readonly secret: string;
  readonly shape: string;
  readonly clock: Clock;
  setPlan(plan: PlanSetting): void;
  /** Calls off what is still due. */
  close(): void;
}

/** What can be seen of a sandbox from inside. */
interface Views {
  plan(): PlanSetting;
  /** In order; a cursor is the number of events already seen. */
  events(after?: number): readonly EventRecord[];
  /** The audit log of a key or a key's id. */
  audit(key: string): readonly Call[];
  messages(): readonly MessageRecord[];
  contacts(): readonly Contact[];
  templates(): readonly Template[];
  campaigns(): readonly Campaign[];
  counts(): Readonly<Record<'contacts' | 'templates' | 'campaigns' | 'messages' | 'events', number>>;
}

interface EventRecord extends SandboxEvent {
  readonly payload: object;
}

interface MessageRecord extends Message {
  readonly status: string;
}

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { clock = realClock(), seed = randomBytes(16).toString('hex'), shape: shapeName = 'default' } = options;
  const warn = options.warn ?? (() => {});
  const [shape, mint] = [shapeNamed(shapeName), createMint(seed)];
  const ledger = openLedger({ store: options.store, clock, mint, warn });
  const { state, commit, close } = ledger;
  if (state.serial === 0) commit(opening(mint, settingOf(options)));
  const desk = { state, shape, mint, minute: createMinuteWindow(), clock, warn };
  return {
    answer: async (exchange) => {
      if (bearsRealLiveKey(exchange.headers['authorization'])) warn(realLiveKey);
      const reply = carryOut(exchange, desk, ledger);
      try {
        await options.store?.written();
        return reply;
      } catch (error) {
        return crashed(desk, error);
      }
    },
    refuse: (status, detail) => refused(desk, new Refusal(status, detail)),
    keys: createKeys({ state, mint, clock, commit }),
    secret: state.secret,
    shape: shapeName,
    clock,
    setPlan: (plan) => commit([{ type: 'plan', plan }]),
    ...views(state, shape),
    close,
  };
}

const realLiveKey =
  'a live key of the real service was sent to this sandbox: it was refused and not stored; look for where it came from';

function carryOut(exchange: Exchange, desk: Desk, ledger: Ledger): Reply {
  try {
    const { reply, changes } = decide(exchange, desk);
    ledger.commit(changes);
    return reply;
  } catch (error) {
    return crashed(desk, error);
  }
}

function settingOf({ plan = 'enterprise', rate, monthly, without = [] }: SandboxOptions): PlanSetting {
  return { name: plan, perMinute: rate, perMonth: monthly, without };
}

function views(state: State, shape: Shape): Views {
  return {
    plan: () => state.plan,
    events: (after = 0) => state.events.slice(after).map((event) => ({ ...event, payload: payloadOf(shape, event) })),
    audit: (key) => state.audit.get(state.keys.by.get(key)?.id ?? key) ?? [],
    messages: () => [...state.messages.values()].map((sent) => ({ ...sent.message, status: statusOf(sent) })),
    contacts: () => state.contacts.list,
    templates: () => state.templates.list,
    campaigns: () => state.campaigns.list,
    counts: () => ({
      contacts: state.contacts.list.length,
      templates: state.templates.list.length,
      campaigns: state.campaigns.list.length,
      messages: state.messages.size,
      events: state.events.length,
    }),
  };
}
