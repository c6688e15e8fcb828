import { choices } from '../api/choices.ts';
import { sleep } from '../time/clock.ts';
import type { Happening } from '../state/ledger.ts';
import { Refusal } from '../refusal.ts';
import type { ControlRoute, Controlled, Input } from './route.ts';

/** What happened, and why it is as it is. */
export const logRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/events', run: events },
  { method: 'GET', path: '/requests', run: requests },
  { method: 'GET', path: '/messages', run: ({ sandbox }) => ({ messages: sandbox.messages() }) },
  { method: 'GET', path: '/audit', run: audit },
  { method: 'GET', path: '/choices', run: () => ({ choices }) },
];

async function events(controlled: Controlled, input: Input): Promise<object> {
  const { sandbox } = controlled;
  const after = whole(input, 'after');
  if (sandbox.cursors().events <= after) await patiently('event', controlled, input);
  return { events: sandbox.events(after), cursor: sandbox.cursors().events };
}

async function requests(controlled: Controlled, input: Input): Promise<object> {
  const { sandbox } = controlled;
  const after = whole(input, 'after');
  if (sandbox.cursors().requests <= after) await patiently('call', controlled, input);
  return { requests: sandbox.requests(after), cursor: sandbox.cursors().requests };
}

/** Where whoever asks is willing to wait, so many milliseconds for something to happen. */
async function patiently(type: Happening, { sandbox }: Controlled, input: Input): Promise<void> {
  const patience = whole(input, 'wait');
  if (patience === 0) return;
  const enough = new AbortController();
  const signal = AbortSignal.any([enough.signal, input.gone()]);
  await Promise.race([sandbox.happening(type, signal), sleep(patience, signal).catch(() => {})]);
  enough.abort();
}

function whole({ query }: Input, name: string): number {
  const number = Number(query.get(name) ?? 0);
  if (!Number.isSafeInteger(number) || number < 0) throw new Refusal(400, `${name} must be a whole number`);
  return number;
}

function audit({ sandbox }: Controlled, { query }: Input): object {
  const key = query.get('key') ?? sandbox.keys.sandbox;
  if (!sandbox.keys.list().some(({ id, text }) => id === key || text === key)) {
    throw new Refusal(404, 'there is no such key');
  }
  return { calls: sandbox.audit(key) };
}
