import { scopes } from '../../contract/keys.ts';
import { planNames } from '../../contract/plans.ts';
import * as read from '../../contract/readers.ts';
import type { Reader } from '../../contract/readers.ts';
import { endpointNames } from '../../contract/endpoints.ts';
import type { DisconnectSignal } from '../exchange.ts';
import { newFault } from '../faults.ts';
import type { Sandbox } from '../sandbox.ts';
import { eventName, fields, integer, number, record } from '../readers.ts';
import { Refusal } from '../refusal.ts';
import { deliveryFilter, newForwards } from '../events/deliveries.ts';
import { logs } from './feed.ts';
import { newest, newestFields } from '../state/table.ts';
import { resettable } from '../state/records.ts';
import { newWebhook } from '../events/webhooks.ts';
import { messageFilter, part, requestRow } from '../views.ts';
import { century, type Clock, type Landmark, landmarks } from '../time/clock.ts';
import type { PageFiles } from './page.ts';

/** A sandbox that is served by this process. */
export interface Served {
  readonly sandbox: Sandbox;
  readonly token: string;
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly build: string;
  /** Real time, which may differ from the sandbox's clock. */
  readonly clock: Clock;
  /** The files of the page; null if this sandbox shows none. */
  readonly page: PageFiles | null;
  /** The data folder; null if nothing is saved. */
  readonly data: string | null;
  readonly uptime: () => number;
  readonly warn: (text: string) => void;
  /** Ends the process once the reply is written. */
  readonly stop: () => void;
}

type Disconnecting = Pick<Served, 'sandbox'> & { readonly gone: DisconnectSignal };

const nothing = fields({});
const since = { after: read.optional(integer()), wait: read.optional(integer()) };
const newPlan = fields({
  name: read.oneOf(planNames),
  rate: read.optional(integer()),
  monthly: read.optional(integer()),
  without: read.optional(read.list(read.oneOf(endpointNames))),
});

/** Everything that can be done to a sandbox: the source of the HTTP control routes, the remote calls and the library. */
export const operations = {
  status: served(nothing, ({ sandbox, url, pid, build, data, uptime }: Served) => ({
    url,
    pid,
    uptime_ms: uptime(),
    build,
    data,
    plan: sandbox.plan(),
    counts: sandbox.counts(),
    faults: sandbox.faults.list().filter(({ active }) => active).length,
  })),
  env: served(nothing, ({ sandbox, url }: Served) => ({
    url,
    keys: { sandbox: sandbox.keys.sandbox, live: sandbox.keys.live },
    secret: sandbox.secret(),
    secrets: sandbox.secrets(),
  })),
  stop: served(nothing, ({ stop }: Served) => {
    stop();
  }),

  keys: op(nothing, (sandbox) => sandbox.keys.list()),
  createKey: op(
    fields({ scope: read.optional(read.oneOf(scopes)), mode: read.optional(read.oneOf(['sandbox', 'live'])) }),
    (sandbox, { scope = 'full', mode }) => sandbox.keys.create(scope, mode),
  ),
  revokeKey: op(fields({ key: read.string }), (sandbox, { key }) => sandbox.keys.revoke(key)),
  goLive: op(nothing, (sandbox) => sandbox.keys.goLive()),
  setPlan: op(newPlan, (sandbox, { name, rate, monthly, without = [] }) => {
    sandbox.setPlan({ name, perMinute: rate, perMonth: monthly, without });
    return sandbox.plan();
  }),
  /** The plan's limits, and how much of them is used. */
  usage: op(nothing, (sandbox) => sandbox.usage()),

  /** How many records a log has had. With `wait`, waits that many milliseconds for one after a cursor. */
  cursor: served(fields({ ...since, of: read.oneOf(logs) }), (context: Disconnecting, { of, after, wait }) =>
    cursorOf(context, of, { after, wait }),
  ),
  /** The newest between two cursors, and the next cursor. */
  events: served(fields({ ...since, ...newestFields }), async (context: Disconnecting, which) => {
    const cursor = await cursorOf(context, 'events', which);
    return { events: context.sandbox.events(which), cursor };
  }),
  requests: op(part, (sandbox, which) => sandbox.requests(which).map(requestRow)),
  /** Records before a cursor, for a page that has the newest ones. */
  older: op(
    fields({ kind: read.oneOf(logs), before: integer(), limit: integer(1, 1_000) }),
    (sandbox, { kind, before, limit }) => sandbox.older(kind, before, limit),
  ),
  messages: op(messageFilter, (sandbox, filter) => sandbox.messages(filter)),
  /** A message with its request, receipts, events and deliveries. */
  message: op(fields({ id: read.string }), (sandbox, { id }) => {
    const message = sandbox.message(id);
    if (!message) throw new Refusal(404, 'there is no message with this id');
    return message;
  }),
  /** By key or key id. */
  audit: op(fields({ key: read.string }), (sandbox, { key }) => sandbox.audit(key).map(requestRow)),

  clock: op(nothing, (sandbox) => sandbox.time.now()),
  freezeClock: op(nothing, (sandbox) => sandbox.time.freeze()),
  resumeClock: op(nothing, (sandbox) => sandbox.time.real()),
  advanceClock: op(fields({ by: distance }), (sandbox, { by }) => sandbox.time.advance(by)),

  faults: op(nothing, (sandbox) => sandbox.faults.list()),
  addFault: op(newFault, (sandbox, fault) => sandbox.faults.add(fault)),
  /** Clears one fault, or all; returns the ids. */
  clearFaults: op(fields({ fault: read.optional(read.string) }), (sandbox, { fault }) => sandbox.faults.clear(fault)),

  webhooks: op(nothing, (sandbox) => sandbox.webhooks.list()),
  addWebhook: op(newWebhook, (sandbox, webhook) => sandbox.webhooks.add(webhook)),
  removeWebhook: op(fields({ webhook: read.string }), (sandbox, { webhook }) => sandbox.webhooks.remove(webhook)),
  rotateSecret: op(nothing, (sandbox) => sandbox.webhooks.rotate()),
  /** The cursors are those of events. */
  deliveries: op(deliveryFilter, (sandbox, filter) => sandbox.deliveries(filter)),
  /** Deliveries with all attempts, by the id of a delivery or an event. */
  delivery: op(fields({ id: read.string }), (sandbox, { id }) => {
    const deliveries = sandbox.delivery(id);
    if (deliveries.length === 0) throw new Refusal(404, 'there is no delivery or event with this id');
    return deliveries;
  }),
  /** By the id of a delivery or an event, or all that fail: those that were given up, and those that wait for a retry. */
  redeliver: op(
    fields({ id: read.optional(read.id), failed: read.optional(read.boolean) }),
    (sandbox, { id, failed = false }) => {
      if ((id === undefined) !== failed) throw new Refusal(400, 'pass either id or failed');
      return { redelivered: sandbox.redeliver(id ?? 'failed') };
    },
  ),
  /** The newest of what fails, of everything, and how the webhooks do. */
  problems: op(nothing, (sandbox) => sandbox.problems()),
  /** The deliveries of events and messages, and the names of numbers. */
  glance: op(fields({ ids: read.list(read.string), phones: read.list(read.string) }), (sandbox, wanted) =>
    sandbox.glance(wanted),
  ),
  /** The answers of the handlers behind listeners. */
  reportForwards: op(fields({ forwards: newForwards }), (sandbox, { forwards }) => sandbox.reportForwards(forwards)),
  contacts: op(fields({ limit: read.optional(integer()) }), (sandbox, { limit }) => newest(sandbox.contacts(), limit)),
  templates: op(nothing, (sandbox) => sandbox.templates()),
  campaigns: op(nothing, (sandbox) => sandbox.campaigns()),
  /** Sends a message once more, as if its client had done it. */
  sendAgain: op(fields({ message: read.id }), (sandbox, { message }) => sandbox.sendAgain(message)),
  trigger: op(fields({ event: eventName, fields: read.optional(record) }), (sandbox, { event, fields = {} }) =>
    sandbox.trigger(event, fields),
  ),

  reset: op(fields({ what: read.oneOf(resettable) }), (sandbox, { what }) => {
    sandbox.reset(what);
    return sandbox.counts();
  }),
  seed: op(read.notShown, (sandbox, contents) => sandbox.seed(contents)),
};

export type OperationName = keyof typeof operations;
export type InputOf<O extends OperationName> = ReturnType<(typeof operations)[O]['input']>;
export type OutputOf<O extends OperationName> = Awaited<ReturnType<(typeof operations)[O]['run']>>;

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}

/** The happening that adds to each log. */
const additions = { events: 'event', requests: 'request', messages: 'message' } as const;

async function cursorOf(
  { sandbox, gone }: Disconnecting,
  log: (typeof logs)[number],
  { after = 0, wait = 0 }: { readonly after?: number | undefined; readonly wait?: number | undefined },
): Promise<number> {
  if (sandbox.cursors()[log] <= after) await sandbox.waitForNext(additions[log], { within: wait, signal: gone() });
  return sandbox.cursors()[log];
}

export interface Operation<C, I, O> {
  readonly input: Reader<I>;
  readonly run: (context: C, input: I) => O;
  /** Checks the input, then runs. Throws a Mismatch if the input is wrong, a Refusal if it cannot be done. */
  readonly call: (context: C, input: unknown) => O;
}

function op<I, O>(input: Reader<I>, run: (sandbox: Sandbox, input: I) => O) {
  return served(input, ({ sandbox }: Pick<Served, 'sandbox'>, value) => run(sandbox, value));
}

function served<C, I, O>(input: Reader<I>, run: (context: C, input: I) => O): Operation<C, I, O> {
  return { input, run, call: (context, value) => run(context, input(value)) };
}

function distance(value: unknown, at = ''): number | Landmark {
  if (typeof value === 'number') return number(0, century)(value, at);
  const landmark = landmarks.find((landmark) => landmark === value);
  if (landmark) return landmark;
  throw new read.Mismatch(at, `must be milliseconds, or one of ${landmarks.join(', ')}`);
}
