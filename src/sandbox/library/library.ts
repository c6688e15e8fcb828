import { randomBytes } from 'node:crypto';
import { types } from 'node:util';
import { knownEvent, type Operation, operations } from '../control/operations.ts';
import type { Exchange } from '../exchange.ts';
import { type RunningServer, startServer } from '../http.ts';
import { fields, integer, optional } from '../readers.ts';
import type { DeliveryRow } from '../rows.ts';
import { createSandbox as createService, type Sandbox as Service } from '../sandbox.ts';
import { landmarks } from '../time/clock.ts';
import { checked, millisecondsOf, plainError, settingsOf } from './arguments.ts';
import type {
  Delivery,
  ListenOptions,
  Sandbox,
  SandboxClock,
  SandboxEvent,
  SandboxFaults,
  SandboxKeys,
  SandboxOptions,
  SandboxRequest,
  SandboxServer,
  SandboxWebhooks,
} from './types.ts';

export type * from './types.ts';

/** A sandbox in this process, to test your own code. Sandboxes share nothing, so a test can create many. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const service = checked('createSandbox', () => createService(settingsOf(options)));
  const servers = createServers(service);
  const closing = new AbortController();
  const checkOpen = () => {
    if (closing.signal.aborted) throw new Error('this sandbox is closed');
  };
  // No webhook here belongs to another process.
  const context = { sandbox: service, kill: () => true };
  const run: Run = (method, operation, input = {}) => {
    checkOpen();
    return checked(method, () => operation.call(context, input));
  };
  const settled = async () => {
    checkOpen();
    await service.settled();
  };
  const close = async () => {
    closing.abort();
    service.close();
    await servers.close();
  };
  return {
    async answer(request) {
      checkOpen();
      return service.answer(exchangeOf(request));
    },
    async listen(options) {
      checkOpen();
      return servers.listen(options);
    },
    keys: keysOf(service, run),
    secret: () => service.secret(),
    webhooks: webhooksOf(service, run),
    trigger(event, fields) {
      const before = service.cursors().events;
      run('trigger', operations.trigger, copyOf({ event, fields }));
      return eventsIn(service, before);
    },
    settled,
    waitFor: createWaitFor(service, closing.signal),
    faults: faultsOf(service, run),
    clock: clockOf(service, run, settled),
    setPlan: (name, limits = {}) => void run('setPlan', operations.setPlan, { name, ...limits }),
    load: (contents) => void run('load', operations.seed, copyOf(contents)),
    reset: (what = 'all') => void run('reset', operations.reset, { what }),
    ...snapshotsOf(service),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Runs an operation, which a closed sandbox refuses. */
type Run = <I, O>(
  method: string,
  operation: Operation<{ readonly sandbox: Service; readonly kill: () => boolean }, I, O>,
  input?: unknown,
) => O;

/** The request as the service would receive it through a socket. */
function exchangeOf({ path, body, method, headers: given = {} }: SandboxRequest): Exchange {
  if (typeof path !== 'string') throw new TypeError('answer: path is missing, such as /api/public/contacts');
  const pairs = Symbol.iterator in given ? [...given] : Object.entries(given);
  // A host only matters on a port.
  const headers = { ...Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value])), host: undefined };
  const sent = { method: method ?? (body === undefined ? 'GET' : 'POST'), target: path };
  if (body === undefined) return { ...sent, headers, body: '' };
  if (typeof body === 'string' || types.isUint8Array(body)) return { ...sent, headers, body };
  return { ...sent, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** A fixture that its test changes later must not change what has happened. */
function copyOf<T>(given: T): T {
  try {
    return structuredClone(given);
  } catch {
    // Something in it is not JSON, such as a function.
    return given;
  }
}

function keysOf({ keys }: Service, run: Run): SandboxKeys {
  return {
    sandbox: keys.sandbox,
    live: keys.live,
    create: (scope, mode) => run('keys.create', operations.createKey, { scope, mode }).text,
    revoke: (key) => run('keys.revoke', operations.revokeKey, { key }),
    goLive: () => run('keys.goLive', operations.goLive),
  };
}

function webhooksOf({ webhooks }: Service, run: Run): SandboxWebhooks {
  return {
    add: (webhook) => run('webhooks.add', operations.addWebhook, webhook).id,
    list: () =>
      webhooks.list().map(({ id, url, events, state, reason }) => {
        return { id, url, events, state, ...(reason !== undefined && { reason }) };
      }),
    remove: (webhook) => void run('webhooks.remove', operations.removeWebhook, { webhook }),
    rotate: (webhook) => run('webhooks.rotate', operations.rotateSecret, { webhook }).secret,
  };
}

function faultsOf({ faults }: Service, run: Run): SandboxFaults {
  return {
    add(given) {
      // JavaScript may pass nothing.
      const { on } = { ...given };
      return run('faults.add', operations.addFault, { ...given, on: typeof on === 'string' ? [on] : on }).id;
    },
    list: () =>
      faults.list().map(({ id, on, effect, after, matched, injected, active }) => {
        return { id, on, effect, after, matched, injected, active };
      }),
    clear: (fault) => void run('faults.clear', operations.clearFaults, { fault }),
  };
}

function clockOf({ time }: Service, run: Run, settled: () => Promise<void>): SandboxClock {
  return {
    now: () => new Date(time.now().now),
    freeze: () => void run('clock.freeze', operations.freezeClock),
    real: () => void run('clock.real', operations.resumeClock),
    async advance(by) {
      // Earlier events are delivered first, at their own time.
      await settled();
      try {
        const span = landmarks.find((landmark) => landmark === by) ?? millisecondsOf(by);
        await run('clock.advance', operations.advanceClock, { by: span });
      } catch (error) {
        throw plainError('clock.advance', error);
      }
    },
  };
}

interface Servers {
  listen(options?: ListenOptions): Promise<SandboxServer>;
  close(): Promise<void>;
}

const listenOptions = fields({ port: optional(integer(0, 65_535)) });

function createServers(service: Service): Servers {
  const opened: Promise<RunningServer>[] = [];
  return {
    async listen(options = {}) {
      const { port = 0 } = checked('listen', () => listenOptions(options));
      const opening = open(service, port);
      opened.push(opening);
      const server = await opening;
      const close = () => server.close();
      return { url: server.url, port: server.port, env: envOf(service, server), close, [Symbol.asyncDispose]: close };
    },
    async close() {
      // Includes servers that are still opening.
      for (const one of await Promise.allSettled(opened)) if (one.status === 'fulfilled') await one.value.close();
    },
  };
}

/** The control plane is unreachable: its token is never passed on. */
async function open(sandbox: Service, port: number): Promise<RunningServer> {
  const token = randomBytes(24).toString('hex');
  try {
    return await startServer({ sandbox, token, port, pid: 0, build: '', data: null });
  } catch (error) {
    throw plainError('listen', error);
  }
}

function envOf(service: Service, { url }: RunningServer): SandboxServer['env'] {
  return {
    BIZMSG_BASE_URL: url,
    BIZMSG_API_KEY: service.keys.sandbox,
    BIZMSG_WEBHOOK_SECRET: service.secret(),
  };
}

type WaitFor = Sandbox['waitFor'];

/** Returns each event once, so that a second call waits for the next one. */
function createWaitFor(service: Service, closing: AbortSignal): WaitFor {
  const returned = new Set<string>();
  return async (wanted, { within = '4s' } = {}) => {
    const { passes, span } = checked('waitFor', () => ({ passes: testOf(wanted), span: millisecondsOf(within) }));
    const deadline = performance.now() + span;
    for (let after = 0; ;) {
      const { events: cursor } = service.cursors();
      const found = eventsIn(service, after).find((event) => !returned.has(event.id) && passes(event));
      if (found) {
        returned.add(found.id);
        return found;
      }
      after = cursor;
      if (closing.aborted) throw new Error('this sandbox is closed');
      const left = deadline - performance.now();
      if (!(left > 0)) throw new Error(`waitFor: no such event within ${spanText(within)}; ${seen(service)}`);
      await service.waitForNext('event', { within: left, signal: closing });
    }
  };
}

function spanText(span: number | string): string {
  return typeof span === 'number' ? `${span} ms` : span;
}

function testOf(wanted: Parameters<WaitFor>[0]): (event: SandboxEvent) => boolean {
  if (typeof wanted === 'function') return wanted;
  const name = knownEvent(wanted);
  return ({ type }) => type === name;
}

/** Facts that help to find out why an event is missing. */
function seen(service: Service): string {
  const types = eventsIn(service).map(({ type }) => type);
  const events = types.length === 0 ? 'there is no event yet' : `the last events: ${types.slice(-5).join(', ')}`;
  return service.time.now().frozen ? `${events}; the clock is frozen, so advance it first` : events;
}

type Snapshots = 'messages' | 'contacts' | 'templates' | 'campaigns' | 'events' | 'deliveries' | 'requests';

/** The sandbox's records as copies: later changes do not affect them. */
function snapshotsOf(service: Service): Pick<Sandbox, Snapshots> {
  return {
    messages: (filter = {}) =>
      checked('messages', () => operations.messages.call({ sandbox: service }, filter)).map(
        ({ id, to, template, params, text, mode, status, sent_at: at }) => {
          const rendered = text === null ? {} : { text };
          return { id, to, template, params: [...params], ...rendered, mode, status, sentAt: new Date(at) };
        },
      ),
    contacts: () => [...service.contacts()],
    templates: () => [...service.templates()],
    campaigns: () => [...service.campaigns()],
    events: () => eventsIn(service),
    deliveries: () => service.deliveries().flatMap(deliveriesOf),
    requests: () => requestsIn(service),
  };
}

function eventsIn({ events }: Service, after?: number): ReturnType<Sandbox['events']> {
  return events(after).map(({ id, type, at, data, payload }) => ({ id, type, at: new Date(at), data, payload }));
}

function requestsIn({ keys, requests }: Service): ReturnType<Sandbox['requests']> {
  const texts = new Map(keys.list().map(({ id, text }) => [id, text]));
  return requests().map(({ at, method, target, status, key, detail }) => ({
    at: new Date(at),
    method,
    path: target,
    status,
    ...(key !== undefined && { key: texts.get(key) }),
    ...(detail !== undefined && { detail }),
  }));
}

/** Without the events that no webhook was registered for. */
function deliveriesOf({ id, event, type, url, state, attempts, last, next_at }: DeliveryRow): readonly Delivery[] {
  if (state === 'queued') return [];
  const outcome = { ...(last !== null && { last }), ...(next_at !== null && { nextAt: new Date(next_at) }) };
  return [{ id, event, type, url: url ?? '', state, attempts, ...outcome }];
}
