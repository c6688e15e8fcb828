import { type EventName, eventNames, isEventName } from '../../contract/events.ts';
import * as read from '../../contract/readers.ts';
import type { Reader } from '../../contract/readers.ts';
import type { Owner } from '../state/records.ts';
import { rowStates } from '../events/deliveries.ts';
import { isForsaken, type NewWebhook } from '../events/webhooks.ts';
import { Refusal } from '../refusal.ts';
import type { ControlRoute, Controlled, Input } from './route.ts';

/** Where events go, and how they got there. */
export const webhookRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/webhooks', run: list },
  { method: 'POST', path: '/webhooks', run: add },
  { method: 'POST', path: '/webhooks/remove', run: remove },
  { method: 'POST', path: '/webhooks/rotate', run: rotate },
  { method: 'GET', path: '/deliveries', run: deliveries },
  { method: 'GET', path: '/delivery', run: delivery },
  { method: 'POST', path: '/redeliver', run: redeliver },
];

function list({ sandbox, kill }: Controlled): object {
  sandbox.webhooks.drop((webhook) => isForsaken(webhook, kill));
  return { webhooks: sandbox.webhooks.list() };
}

function add({ sandbox, kill }: Controlled, { body }: Input): object {
  const given = newWebhook(body());
  sandbox.webhooks.drop((webhook) => isForsaken(webhook, kill, given));
  return { webhook: sandbox.webhooks.add(given) };
}

function remove({ sandbox }: Controlled, { body }: Input): object {
  const { webhook } = read.object({ webhook: read.string })(body());
  return { webhook: sandbox.webhooks.remove(webhook) };
}

/** The sandbox's own, unless the body names a webhook. */
function rotate({ sandbox }: Controlled, { body }: Input): object {
  return sandbox.webhooks.rotate(optional(fieldsOf(body()), 'webhook', read.string));
}

function deliveries({ sandbox }: Controlled, { query }: Input): object {
  const asked = query.get('state')?.split(',');
  const states = asked && rowStates.filter((state) => asked.includes(state));
  if (states?.length !== asked?.length) throw new Refusal(400, `a state is one of ${rowStates.join(', ')}`);
  const limit = query.has('limit') ? Number(query.get('limit')) : undefined;
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0))
    throw new Refusal(400, 'limit must be a whole number');
  return { deliveries: sandbox.deliveries({ states, limit }) };
}

function delivery({ sandbox }: Controlled, { query }: Input): object {
  const found = sandbox.delivery(query.get('id') ?? '');
  if (found.length === 0) throw new Refusal(404, 'there is no such delivery, and no such event');
  return { deliveries: found };
}

/** By `id`, or all that are dead. */
function redeliver({ sandbox }: Controlled, { body }: Input): object {
  const fields = fieldsOf(body());
  const id = optional(fields, 'id', read.id);
  const failed = optional(fields, 'failed', read.boolean) ?? false;
  if ((id === undefined) !== failed) throw new Refusal(400, 'either id or failed says what is delivered again');
  return { redelivered: sandbox.redeliver(id ?? 'failed'), remaining: sandbox.remaining() };
}

function newWebhook(value: unknown): NewWebhook {
  const fields = fieldsOf(value);
  return {
    ...read.object({ url: read.string })(fields),
    events: optional(fields, 'events', read.list(eventName)),
    secret: optional(fields, 'secret', read.string),
    external: optional(fields, 'external', read.boolean),
    catchUp: optional(fields, 'catchUp', read.boolean),
    owner: optional(fields, 'owner', owner),
  };
}

function owner(value: unknown): Owner {
  const fields = fieldsOf(value);
  const { pid } = fields;
  if (typeof pid !== 'number') throw new read.Mismatch('/owner/pid', 'must be a number');
  return { pid, start: optional(fields, 'start', read.string), returns: optional(fields, 'returns', read.boolean) };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (read.isRecord(value)) return value;
  throw new read.Mismatch('', 'must be an object');
}

function optional<T>(fields: Record<string, unknown>, name: string, reader: Reader<T>): T | undefined {
  return fields[name] === undefined ? undefined : reader(fields[name], `/${name}`);
}

function eventName(value: unknown, at = ''): EventName {
  if (isEventName(value)) return value;
  throw new read.Mismatch(at, `must be one of ${eventNames.join(', ')}`);
}
