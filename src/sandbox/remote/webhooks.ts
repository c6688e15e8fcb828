import * as read from '../../contract/readers.ts';
import type { DeliveryFilter, Remaining } from '../events/deliveries.ts';
import type { NewWebhook } from '../events/webhooks.ts';
import { type Ask, list, number, row, type Row } from './asking.ts';

export interface RemoteWebhooks {
  webhooks(): Promise<readonly Row[]>;
  addWebhook(webhook: NewWebhook): Promise<Row>;
  /** Takes an id or a URL. */
  removeWebhook(webhook: string): Promise<Row>;
  /** The sandbox's own secret, unless a webhook is named. */
  rotateSecret(webhook?: string): Promise<{ readonly secret: string; readonly until: string }>;
  deliveries(filter?: DeliveryFilter): Promise<readonly Row[]>;
  /** In full, by the id of a delivery or of an event. */
  delivery(id: string): Promise<readonly Row[]>;
  /** Takes the id of a delivery or of an event, or `failed`; says how many, and what `failed` leaves out. */
  redeliver(which: string): Promise<{ readonly redelivered: number; readonly remaining: Remaining }>;
}

export function webhooksOf(ask: Ask): RemoteWebhooks {
  return {
    webhooks: async () => (await ask('GET', '/webhooks', read.object({ webhooks: list }))).webhooks,
    addWebhook: async (webhook) => (await ask('POST', '/webhooks', one, webhook)).webhook,
    removeWebhook: async (webhook) => (await ask('POST', '/webhooks/remove', one, { webhook })).webhook,
    rotateSecret: (webhook) => ask('POST', '/webhooks/rotate', secret, { webhook }),
    deliveries: async ({ states, limit } = {}) => {
      const query = new URLSearchParams({
        ...(states && { state: states.join() }),
        ...(limit !== undefined && { limit: String(limit) }),
      });
      return (await ask('GET', `/deliveries?${query.toString()}`, several)).deliveries;
    },
    delivery: async (id) => (await ask('GET', `/delivery?id=${encodeURIComponent(id)}`, several)).deliveries,
    redeliver: (which) => ask('POST', '/redeliver', redelivered, which === 'failed' ? { failed: true } : { id: which }),
  };
}

const one = read.object({ webhook: row });
const several = read.object({ deliveries: list });
const remaining = read.object({ disabled: number, removed: number, waiting: number });
const redelivered = read.object({ redelivered: number, remaining });
const secret = read.object({ secret: read.string, until: read.string });
