import * as read from '../../contract/readers.ts';
import { Refusal } from '../refusal.ts';
import { newKey, planSetting } from './inputs.ts';
import type { ControlRoute, Controlled, Input } from './route.ts';

/** What an account's owner would do in the dashboard. */
export const accountRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/keys', run: ({ sandbox }) => ({ keys: sandbox.keys.list() }) },
  { method: 'POST', path: '/keys', run: createKey },
  { method: 'POST', path: '/keys/revoke', run: revokeKey },
  { method: 'POST', path: '/keys/go-live', run: goLive },
  { method: 'POST', path: '/plan', run: setPlan },
];

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
