import { manualClock } from '../../src/sandbox/time/clock.ts';
import type { Exchange, Reply } from '../../src/sandbox/exchange.ts';
import { partsOf, type StateFile } from '../../src/sandbox/state/file.ts';
import { loadedState, type State } from '../../src/sandbox/state/state.ts';
import type { Sandbox as LibrarySandbox } from 'bizmsg/sandbox';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';

export const start = Date.UTC(2026, 4, 1, 12);

export const paths = {
  send: '/api/public/messages/send-template',
  contacts: '/api/public/contacts',
  templates: '/api/public/templates',
  campaigns: '/api/public/campaigns',
} as const;

export const order = { to: '+12025550142', template: 'order_update', params: ['Ada', 'A-1042'] } as const;

export type Calls = ReturnType<typeof calls>;

/** A seeded sandbox with a frozen clock, and requests with its full sandbox key. */
export function calls(options: SandboxOptions = {}) {
  const clock = manualClock(start, () => start);
  const warnings: string[] = [];
  // Unless the test has its own.
  const file = memoryFile();
  const sandbox = createSandbox({ seed: 'a seed', clock, file, warn: (text) => warnings.push(text), ...options });
  const headers = bearing(sandbox.keys.sandbox);
  return {
    sandbox,
    file,
    clock,
    warnings,
    get: async (target: string, change?: Partial<Exchange>): Promise<Reply> =>
      sandbox.answer({ method: 'GET', target, headers, body: '', ...change }),
    post: async (target: string, body: unknown, change?: Partial<Exchange>): Promise<Reply> =>
      sandbox.answer({ method: 'POST', target, headers, body: JSON.stringify(body), ...change }),
  };
}

export function bearing(key: string) {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
}

/** Sends a template with a sandbox of the library, and this key or its first. */
export function sent(sandbox: LibrarySandbox, key: string = sandbox.keys.sandbox, body: object = {}) {
  const headers = { Authorization: `Bearer ${key}` };
  return sandbox.answer({ path: paths.send, headers, body: { ...order, ...body } });
}

export function bodyOf(reply: Reply): unknown {
  return JSON.parse(reply.body);
}

/** A file in memory; `text` is everything that would be saved. */
export function memoryFile(): StateFile & { readonly text: () => string } {
  let last: State | undefined;
  const text = () => (last ? [...partsOf(last)].join('') : '');
  return {
    text,
    get past() {
      return last && loadedState(JSON.parse(text()));
    },
    changed: (state) => void (last = state),
    close: async () => {},
  };
}
