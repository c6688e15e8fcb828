import { choices } from '../choices.ts';
import { Refusal } from '../refusal.ts';
import type { ControlRoute, Controlled, Input } from './route.ts';

/** What happened, and why it is as it is. */
export const logRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/events', run: events },
  { method: 'GET', path: '/messages', run: ({ sandbox }) => ({ messages: sandbox.messages() }) },
  { method: 'GET', path: '/audit', run: audit },
  { method: 'GET', path: '/choices', run: () => ({ choices }) },
];

function events({ sandbox }: Controlled, { query }: Input): object {
  const after = Number(query.get('after') ?? 0);
  if (!Number.isSafeInteger(after) || after < 0) throw new Refusal(400, 'after must be a number of events');
  return { events: sandbox.events(after), cursor: sandbox.cursors().events };
}

function audit({ sandbox }: Controlled, { query }: Input): object {
  return { calls: sandbox.audit(query.get('key') ?? sandbox.keys.sandbox) };
}
