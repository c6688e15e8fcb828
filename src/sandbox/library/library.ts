import { randomBytes } from 'node:crypto';
import { types } from 'node:util';
import type { EventName } from '../../contract/events.ts';
import type { Mode, Scope } from '../../contract/keys.ts';
import type { PlanName } from '../../contract/plans.ts';
import { optional } from '../../contract/readers.ts';
import type { Contents } from '../contents/read.ts';
import { type InputOf, type Operation, operations } from '../control/operations.ts';
import type { Exchange, Reply } from '../exchange.ts';
import { type RunningServer, startServer } from '../http.ts';
import { eventName, fields, integer } from '../readers.ts';
import { rowStates } from '../events/deliveries.ts';
import { createSandbox as createService, type Sandbox as Service } from '../sandbox.ts';
import type { Fault, Resettable } from '../state/records.ts';
import { type Landmark, landmarks } from '../time/clock.ts';
import type { FieldsOf } from '../trigger.ts';
import { checked, millisecondsOf, plainError, type SandboxOptions, settingsOf, type Span } from './arguments.ts';

export type { EventName, Mode, PlanName, SandboxOptions, Scope, Span };

/** A simulated service in memory. It sends no real messages and shares nothing with other sandboxes. */
export type Sandbox = ReturnType<typeof createSandbox>;

/** A sandbox in this process, to test your own code. Sandboxes share nothing, so a test can create many. */
export function createSandbox(options: SandboxOptions = {}) {
  const service = checked('createSandbox', () => createService(settingsOf(options)));
  const calls = callsTo(service);
  const { closing, checkOpen, read, run, settled } = calls;
  const servers = createServers(service);
  const close = async () => {
    closing.abort();
    service.close();
    await servers.close();
  };
  return {
    /** Answers a request without a socket. */
    async answer(request: SandboxRequest): Promise<Reply> {
      checkOpen();
      return service.answer(exchangeOf(request));
    },
    /** Serves it on a local port (default: a free one). An open server keeps the process alive. */
    async listen(where: { readonly port?: number | undefined } = {}) {
      checkOpen();
      return servers.listen(where);
    },
    keys: keysOf(calls),
    /** The secret that signs events, as in Standard Webhooks. */
    secret: service.secret,
    /** The URLs that receive events. */
    webhooks: webhooksOf(calls),
    /** Triggers an event and the changes that lead to it. Returns all events it caused, in order. */
    trigger<E extends EventName>(event: E, values?: FieldsOf<E>): readonly EventRecord[] {
      const before = service.cursors().events;
      run('trigger', operations.trigger, { event, fields: values });
      return service.events({ after: before });
    },
    /** Resolves when no delivery is in flight. Deliveries that are due later do not count. */
    settled,
    waitFor: createWaitFor(service, closing.signal),
    /** Injected failures of answers and deliveries. */
    faults: faultsOf(calls),
    /** The sandbox's time, for receipts, retries and limits. Signatures use real time. */
    clock: clockOf(calls),
    /** Replaces the plan and its limits. */
    setPlan: (name: PlanName, limits: Omit<InputOf<'setPlan'>, 'name'> = {}) =>
      run('setPlan', operations.setPlan, { name, ...limits }),
    usage: () => read('usage', operations.usage),
    /** Loads records, all or none. They replace those with the same phone, name or id. */
    load: (contents: Contents) => run('load', operations.seed, contents),
    /** Deletes messages, contacts, logs, or (default) all. Keys, plan, webhooks, faults and clock are kept. */
    reset: (what: Resettable = 'all') => run('reset', operations.reset, { what }),
    /** Sends a message once more, as if its client had done it. */
    sendAgain: (message: string) => run('sendAgain', operations.sendAgain, { message }),
    /** Delivers an event once more, by the id of the event or a delivery, or all that fail. */
    redeliver: (which: InputOf<'redeliver'>) => run('redeliver', operations.redeliver, which),
    /** In order of sending. */
    messages: (filter: InputOf<'messages'> = {}) => read('messages', operations.messages, filter),
    /** A new sandbox has sample contacts, templates and campaigns. */
    contacts: () => read('contacts', operations.contacts),
    templates: () => read('templates', operations.templates),
    campaigns: () => read('campaigns', operations.campaigns),
    /** All events in order, delivered or not. */
    events: () => service.events(),
    /** All deliveries in order. With the state `queued`, also the events that no webhook was registered for. */
    deliveries: (filter: InputOf<'deliveries'> = {}) =>
      read('deliveries', operations.deliveries, { states: delivered, ...filter }),
    /** All requests in order, including refused ones. */
    requests: (filter: InputOf<'requests'> = {}) => read('requests', operations.requests, filter),
    /** Cancels everything scheduled, and closes its servers. Its records can still be read. */
    close,
    [Symbol.asyncDispose]: close,
  };
}

function keysOf({ service, read, run }: Calls) {
  return {
    /** With every scope. */
    sandbox: service.keys.sandbox,
    /** Valid after `goLive()`. */
    live: service.keys.live,
    /** Returns a new key. Default: `full`, `sandbox`. */
    create: (scope?: Scope, mode?: Mode) => run('keys.create', operations.createKey, { scope, mode }).text,
    /** Calls with this key get a 401 from now on. */
    revoke: (key: string) => run('keys.revoke', operations.revokeKey, { key }),
    /** Activates live keys. Their messages are simulated too. */
    goLive: () => run('keys.goLive', operations.goLive),
    list: () => read('keys.list', operations.keys),
  };
}

function webhooksOf({ read, run }: Calls) {
  return {
    /** A known URL keeps its id and gets these settings. */
    add: (webhook: InputOf<'addWebhook'>) => run('webhooks.add', operations.addWebhook, webhook),
    list: () => read('webhooks.list', operations.webhooks),
    /** By id or URL. */
    remove: (webhook: string) => run('webhooks.remove', operations.removeWebhook, { webhook }),
    /** Returns a new secret of the sandbox. The old one also signs for one more day. */
    rotate: () => run('webhooks.rotate', operations.rotateSecret).secret,
  };
}

function faultsOf({ read, run }: Calls) {
  return {
    add: (fault: NewFault) => run('faults.add', operations.addFault, fault),
    /** Includes expired faults until they are cleared. */
    list: () => read('faults.list', operations.faults),
    /** Clears one fault, or all. */
    clear: (fault?: string) => run('faults.clear', operations.clearFaults, { fault }),
  };
}

function clockOf({ service, run, settled }: Calls) {
  return {
    now: () => new Date(service.time.now().now),
    /** Only `advance` moves it then. */
    freeze: () => run('clock.freeze', operations.freezeClock),
    /** Returns to real time. Scheduled receipts and retries keep their time. */
    real: () => run('clock.real', operations.resumeClock),
    /** Runs everything due until then in order, and waits for each delivery. */
    async advance(by: Span | Landmark) {
      // Earlier events are delivered first, at their own time.
      await settled();
      try {
        const span = landmarks.find((landmark) => landmark === by) ?? millisecondsOf(by);
        return await run('clock.advance', operations.advanceClock, { by: span });
      } catch (error) {
        throw plainError('clock.advance', error);
      }
    },
  };
}

type Calls = ReturnType<typeof callsTo>;

/** Calls operations of a service, until it is closed. */
function callsTo(service: Service) {
  const closing = new AbortController();
  const checkOpen = () => {
    if (closing.signal.aborted) throw new Error('this sandbox is closed');
  };
  /** A closed sandbox can still be read. */
  const read = <I, O>(method: string, operation: InProcess<I, O>, input: unknown = {}): O =>
    checked(method, () => operation.call({ sandbox: service }, input));
  const run = <I, O>(method: string, operation: InProcess<I, O>, input: unknown = {}): O => {
    checkOpen();
    // A fixture that its test changes later must not change what has happened.
    return read(method, operation, structuredClone(input));
  };
  const settled = async () => {
    checkOpen();
    await service.settled();
  };
  return { service, closing, checkOpen, read, run, settled };
}

/** The states of a delivery. */
const delivered = rowStates.filter((state) => state !== 'queued');

/** With the payload that webhooks receive. */
export type EventRecord = ReturnType<Service['events']>[number];

/** An operation that needs no server. */
type InProcess<I, O> = Operation<{ readonly sandbox: Service }, I, O>;

/** A request as a client would send it. */
export interface SandboxRequest {
  /** Default: `GET` without a body, `POST` with one. */
  readonly method?: string | undefined;
  /** Path and query, such as `/api/public/contacts?limit=2`. */
  readonly path: string;
  /** Such as `{ authorization: 'Bearer …' }`. */
  readonly headers?: Readonly<Record<string, string>> | Iterable<readonly [string, string]> | undefined;
  /** Strings and Uint8Arrays are sent unchanged, other objects as JSON with its content type. */
  readonly body?: string | object | undefined;
}

type Place = Fault['on'][number];

/** Endpoints whose answers fail, or events whose deliveries fail, and how. */
export type NewFault = Omit<InputOf<'addFault'>, 'on'> & { readonly on: Place | readonly Place[] };

/** The variables that `bizmsg sandbox env` prints. A type rather than an interface, so that it is assignable to records. */
export type SandboxEnv = {
  readonly BIZMSG_BASE_URL: string;
  readonly BIZMSG_API_KEY: string;
  readonly BIZMSG_WEBHOOK_SECRET: string;
};

/** The request as the service would receive it through a socket. */
function exchangeOf({ path, body, method, headers: named = {} }: SandboxRequest): Exchange {
  if (typeof path !== 'string') throw new TypeError('answer: path is missing, such as /api/public/contacts');
  const pairs = Symbol.iterator in named ? [...named] : Object.entries(named);
  // A host only matters on a port.
  const headers = { ...Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value])), host: undefined };
  const sent = { method: method ?? (body === undefined ? 'GET' : 'POST'), target: path };
  if (body === undefined) return { ...sent, headers, body: '' };
  if (typeof body === 'string' || types.isUint8Array(body)) return { ...sent, headers, body };
  return { ...sent, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

const listenOptions = fields({ port: optional(integer(0, 65_535)) });

function createServers(service: Service) {
  const opened: Promise<RunningServer>[] = [];
  return {
    async listen(where: unknown) {
      const { port = 0 } = checked('listen', () => listenOptions(where));
      // The control plane is unreachable: its token is never passed on.
      const token = randomBytes(24).toString('hex');
      const opening = startServer({ sandbox: service, token, port, pid: 0, build: '', data: null });
      opened.push(opening);
      const {
        url,
        port: taken,
        close,
      } = await opening.catch((error: unknown) => {
        throw plainError('listen', error);
      });
      const env: SandboxEnv = {
        BIZMSG_BASE_URL: url,
        BIZMSG_API_KEY: service.keys.sandbox,
        BIZMSG_WEBHOOK_SECRET: service.secret(),
      };
      return { url, port: taken, env, close, [Symbol.asyncDispose]: close };
    },
    async close() {
      // Includes servers that are still opening.
      for (const opening of opened)
        await opening.then(
          (server) => server.close(),
          () => {},
        );
    },
  };
}

type Wanted = EventName | ((event: EventRecord) => boolean);

/** Returns each event once, so that a second call waits for the next one. */
function createWaitFor(service: Service, closing: AbortSignal) {
  const returned = new Set<string>();
  /**
   * Resolves with the first event, past or future, that has this type or passes the test, and that no earlier call
   * returned. Rejects if none comes in real time (default: 4 s, which is less than most test runners wait).
   */
  return async (
    wanted: Wanted,
    { within = '4s' }: { readonly within?: Span | undefined } = {},
  ): Promise<EventRecord> => {
    const { passes, span } = checked('waitFor', () => ({ passes: testOf(wanted), span: millisecondsOf(within) }));
    const deadline = performance.now() + span;
    for (let after = 0; ;) {
      const { events: cursor } = service.cursors();
      const event = service.events({ after }).find((event) => !returned.has(event.id) && passes(event));
      if (event) {
        returned.add(event.id);
        return event;
      }
      after = cursor;
      if (closing.aborted) throw new Error('this sandbox is closed');
      const rest = deadline - performance.now();
      if (!(rest > 0))
        throw new Error(
          `waitFor: no such event within ${typeof within === 'number' ? `${within} ms` : within}; ${seen(service)}`,
        );
      await service.waitForNext('event', { within: rest, signal: closing });
    }
  };
}

function testOf(wanted: Wanted): (event: EventRecord) => boolean {
  if (typeof wanted === 'function') return wanted;
  const name = eventName(wanted);
  return ({ type }) => type === name;
}

/** Facts that help to find out why an event is missing. */
function seen(service: Service): string {
  const last = service.events().map(({ type }) => type);
  const events = last.length === 0 ? 'there is no event yet' : `the last events: ${last.slice(-5).join(', ')}`;
  return service.time.now().frozen ? `${events}; the clock is frozen, so advance it first` : events;
}
