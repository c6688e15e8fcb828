import * as read from '../contract/readers.ts';
import { choices } from './choices.ts';
import { newKey, planSetting } from './settings.ts';
import { Refusal } from './refusal.ts';
import type { Sandbox } from './sandbox.ts';

/** What the control plane knows of the process that it runs in. */
export interface Controlled {
  readonly sandbox: Sandbox;
  readonly token: string;
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly build: string;
  /** The folder that it serves; null when nothing is kept. */
  readonly data: string | null;
  readonly uptime: () => number;
  readonly warn: (text: string) => void;
  /** Ends it once the answer is out. */
  readonly stop: () => void;
}

export interface ControlRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly run: (controlled: Controlled, input: Input) => object;
}

interface Input {
  readonly query: URLSearchParams;
  readonly body: () => unknown;
}

/** For the command line and the page. No limit, no fault and no reset touches these. */
export const controlRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/status', run: status },
  { method: 'GET', path: '/env', run: env },
  { method: 'GET', path: '/events', run: events },
  { method: 'GET', path: '/messages', run: ({ sandbox }) => ({ messages: sandbox.messages() }) },
  { method: 'GET', path: '/audit', run: audit },
  { method: 'GET', path: '/choices', run: () => ({ choices }) },
  { method: 'GET', path: '/keys', run: ({ sandbox }) => ({ keys: sandbox.keys.list() }) },
  { method: 'POST', path: '/keys', run: createKey },
  { method: 'POST', path: '/keys/revoke', run: revokeKey },
  { method: 'POST', path: '/keys/go-live', run: goLive },
  { method: 'POST', path: '/plan', run: setPlan },
  { method: 'POST', path: '/stop', run: stop },
];

function status({ sandbox, url, pid, build, data, uptime }: Controlled): object {
  const { shape } = sandbox;
  return { url, pid, uptime_ms: uptime(), build, data, plan: sandbox.plan(), shape, counts: sandbox.counts() };
}

function env({ sandbox, url }: Controlled): object {
  const { keys, secret } = sandbox;
  return { url, keys: { sandbox: keys.sandbox, live: keys.live }, secret };
}

function events({ sandbox }: Controlled, { query }: Input): object {
  const after = Number(query.get('after') ?? 0);
  if (!Number.isSafeInteger(after) || after < 0) throw new Refusal(400, 'after must be a number of events');
  const events = sandbox.events(after);
  return { events, cursor: sandbox.counts().events };
}

function audit({ sandbox }: Controlled, { query }: Input): object {
  return { calls: sandbox.audit(query.get('key') ?? sandbox.keys.sandbox) };
}

function createKey({ sandbox }: Controlled, { body }: Input): object {
  const { scope, mode } = newKey(body());
  return { key: sandbox.keys.create(scope, mode) };
}

function revokeKey({ sandbox }: Controlled, { body }: Input): object {
  const { key } = read.object({ key: read.string })(body());
  if (!sandbox.keys.revoke(key)) throw new Refusal(404, 'there is no such key');
  return { revoked: true };
}

function goLive({ sandbox }: Controlled): object {
  sandbox.keys.goLive();
  return { live: true };
}

function setPlan({ sandbox }: Controlled, { body }: Input): object {
  const plan = planSetting(body());
  sandbox.setPlan(plan);
  return { plan };
}

function stop({ stop }: Controlled): object {
  stop();
  return { stopping: true };
}
