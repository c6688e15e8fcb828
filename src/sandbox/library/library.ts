import { types } from 'node:util';
import { operations } from '../control/operations.ts';
import type { Exchange } from '../exchange.ts';
import { landmarks, type Sandbox as Service } from '../interface.ts';
import { createSandbox as createService } from '../sandbox.ts';
import { checked, millisecondsOf, plainError } from './argument-checks.ts';
import { settingsOf } from './options.ts';
import { createServers } from './servers.ts';
import { createWaitFor } from './wait-for.ts';
import { eventsIn, snapshotsOf } from './snapshots.ts';
import type {
  Sandbox,
  SandboxClock,
  SandboxFaults,
  SandboxKeys,
  SandboxOptions,
  SandboxRequest,
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
  /** Runs an operation that a closed sandbox refuses. */
  const change: Checked = (method, run) => {
    checkOpen();
    return checked(method, run);
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
    keys: keysOf(service, change),
    secret: () => service.secret(),
    webhooks: webhooksOf(service, change),
    trigger(event, fields) {
      const before = service.cursors().events;
      change('trigger', () => operations.trigger.call({ sandbox: service }, copyOf({ event, fields })));
      return eventsIn(service, before);
    },
    settled,
    waitFor: createWaitFor(service, closing.signal),
    faults: faultsOf(service, change),
    clock: clockOf(service, { change, settled }),
    setPlan: (name, limits = {}) =>
      void change('setPlan', () => operations.setPlan.call({ sandbox: service }, { name, ...limits })),
    load: (contents) => void change('load', () => operations.seed.call({ sandbox: service }, copyOf(contents))),
    reset: (what = 'all') => void change('reset', () => operations.reset.call({ sandbox: service }, { what })),
    ...snapshotsOf(service),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The request as the service would receive it through a socket. */
function exchangeOf({ path, body, method, headers: given = {} }: SandboxRequest): Exchange {
  if (typeof path !== 'string') throw new TypeError('answer: path is missing, such as /api/public/contacts');
  const pairs = Symbol.iterator in given ? [...given] : Object.entries(given);
  const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
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

type Checked = typeof checked;

interface Changing {
  readonly change: Checked;
  readonly settled: () => Promise<void>;
}

function keysOf(sandbox: Service, change: Checked): SandboxKeys {
  return {
    sandbox: sandbox.keys.sandbox,
    live: sandbox.keys.live,
    create: (scope, mode) => change('keys.create', () => operations.createKey.call({ sandbox }, { scope, mode }).text),
    revoke: (key) => change('keys.revoke', () => operations.revokeKey.call({ sandbox }, { key })),
    goLive: () => change('keys.goLive', () => sandbox.keys.goLive()),
  };
}

function webhooksOf(sandbox: Service, change: Checked): SandboxWebhooks {
  // No webhook here belongs to another process.
  const context = { sandbox, kill: () => true };
  return {
    add: (webhook) => change('webhooks.add', () => operations.addWebhook.call(context, webhook).id),
    list: () =>
      sandbox.webhooks.list().map(({ id, url, events, state, reason }) => {
        return { id, url, events, state, ...(reason !== undefined && { reason }) };
      }),
    remove: (webhook) => void change('webhooks.remove', () => operations.removeWebhook.call(context, { webhook })),
    rotate: (webhook) => change('webhooks.rotate', () => operations.rotateSecret.call(context, { webhook }).secret),
  };
}

function faultsOf(sandbox: Service, change: Checked): SandboxFaults {
  return {
    add: (given) =>
      change('faults.add', () => {
        // JavaScript may pass nothing.
        const { on, for: duration } = { ...given };
        const fault = { ...given, on: typeof on === 'string' ? [on] : on, for: duration && millisecondsOf(duration) };
        return operations.addFault.call({ sandbox }, fault).id;
      }),
    list: () =>
      sandbox.faults.list().map(({ id, on, effect, after, rate, matched, injected, active }) => {
        return { id, on, effect, after, rate, matched, injected, active };
      }),
    clear: (fault) => void change('faults.clear', () => operations.clearFaults.call({ sandbox }, { fault })),
  };
}

function clockOf(sandbox: Service, { change, settled }: Changing): SandboxClock {
  const { time } = sandbox;
  return {
    now: () => new Date(time.now().now),
    freeze: () => void change('clock.freeze', time.freeze),
    real: () => void change('clock.real', time.real),
    async advance(by) {
      try {
        // Earlier events are delivered first, at their own time.
        await settled();
        const span = landmarks.find((landmark) => landmark === by) ?? millisecondsOf(by);
        await operations.advanceClock.call({ sandbox }, { by: span });
      } catch (error) {
        throw plainError('clock.advance', error);
      }
    },
  };
}
