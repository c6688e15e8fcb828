import type { Mode, Scope } from '../../contract/keys.ts';
import * as read from '../../contract/readers.ts';
import { configuration } from '../../base/errors.ts';
import { httpRequest } from '../../base/http-request.ts';
import type { PlanSetting } from '../state/records.ts';
import { sleep } from '../time/clock.ts';
import type { Locator } from './locator.ts';
import { asking, list, number, row, type Row } from './asking.ts';
import { contentsOf, type RemoteContents } from './contents.ts';
import { faultsOf, type RemoteFaults } from './faults.ts';
import { type RemoteTime, timeOf } from './time.ts';
import { type RemoteTrigger, triggerOf } from './trigger.ts';
import { type RemoteWebhooks, webhooksOf } from './webhooks.ts';

/** A sandbox in another process. */
export interface Remote extends RemoteTime, RemoteTrigger, RemoteContents, RemoteFaults, RemoteWebhooks {
  status(): Promise<Row>;
  env(): Promise<RemoteEnv>;
  /** Resolves once its port is free again. */
  stop(): Promise<void>;
  /** What happened after a cursor, and the next cursor; with patience, of milliseconds, once something has. */
  events(after?: number, patience?: number, signal?: AbortSignal): Promise<RemoteEvents>;
  requests(after?: number, patience?: number, signal?: AbortSignal): Promise<RemoteRequests>;
  messages(): Promise<readonly Row[]>;
  /** Of the first sandbox key, unless told. */
  audit(key?: string): Promise<readonly Row[]>;
  choices(): Promise<readonly Row[]>;
  keys(): Promise<readonly Row[]>;
  createKey(scope: Scope, mode?: Mode): Promise<Row>;
  revokeKey(key: string): Promise<void>;
  goLive(): Promise<void>;
  setPlan(plan: Partial<PlanSetting> & Pick<PlanSetting, 'name'>): Promise<Row>;
}

interface RemoteEvents {
  readonly events: readonly Row[];
  readonly cursor: number;
}

interface RemoteRequests {
  readonly requests: readonly Row[];
  readonly cursor: number;
}

export interface RemoteEnv {
  readonly url: string;
  readonly keys: { readonly sandbox: string; readonly live: string };
  readonly secret: string;
}

/** The only caller of the control plane. */
export function openRemote({ url, token }: Pick<Locator, 'url' | 'token'>): Remote {
  const ask = asking({ url, token });
  const rows = async (path: string, name: string) =>
    (await ask('GET', path, read.object({ [name]: list })))[name] ?? [];
  return {
    ...timeOf(ask),
    ...triggerOf(ask),
    ...contentsOf(ask),
    ...webhooksOf(ask),
    ...faultsOf(ask),
    status: () => ask('GET', '/status', row),
    env: () => ask('GET', '/env', env),
    stop: async () => {
      await ask('POST', '/stop', row);
      await untilSilent(url);
    },
    events: (after = 0, patience = 0, signal) =>
      ask('GET', `/events?after=${after}&wait=${patience}`, eventPage, undefined, { patience, signal }),
    requests: (after = 0, patience = 0, signal) =>
      ask('GET', `/requests?after=${after}&wait=${patience}`, requestPage, undefined, { patience, signal }),
    messages: () => rows('/messages', 'messages'),
    audit: (key) => rows(key === undefined ? '/audit' : `/audit?key=${encodeURIComponent(key)}`, 'calls'),
    choices: () => rows('/choices', 'choices'),
    keys: () => rows('/keys', 'keys'),
    createKey: async (scope, mode) => (await ask('POST', '/keys', read.object({ key: row }), { scope, mode })).key,
    revokeKey: async (key) => void (await ask('POST', '/keys/revoke', row, { key })),
    goLive: async () => void (await ask('POST', '/keys/go-live', row)),
    setPlan: async (plan) => (await ask('POST', '/plan', read.object({ plan: row }), plan)).plan,
  };
}

const eventPage = read.object({ events: list, cursor: number });
const requestPage = read.object({ requests: list, cursor: number });

async function untilSilent(url: string): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const answers = await httpRequest(url, { method: 'GET', timeout: 1_000 }).then(
      () => true,
      () => false,
    );
    if (!answers) return;
    await sleep(10);
  }
  throw configuration('sandbox-busy', `the sandbox at ${url} did not end`);
}

const env = read.object({
  url: read.string,
  keys: read.object({ sandbox: read.string, live: read.string }),
  secret: read.string,
});
