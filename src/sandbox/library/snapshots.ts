import { operations } from '../control/operations.ts';
import type { Sandbox as Service } from '../interface.ts';
import type { DeliveryRow } from '../rows.ts';
import { checked } from './argument-checks.ts';
import type { Delivery, Sandbox } from './types.ts';

type Snapshots = 'messages' | 'contacts' | 'templates' | 'campaigns' | 'events' | 'deliveries' | 'requests';

/** The sandbox's records as copies: later changes do not affect them. */
export function snapshotsOf(service: Service): Pick<Sandbox, Snapshots> {
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

export function eventsIn({ events }: Service, after?: number): ReturnType<Sandbox['events']> {
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

/** Without the events for which no webhook was registered. */
function deliveriesOf({ id, event, type, url, state, attempts, last, next_at }: DeliveryRow): readonly Delivery[] {
  if (state === 'queued') return [];
  const outcome = { ...(last !== null && { last }), ...(next_at !== null && { nextAt: new Date(next_at) }) };
  return [{ id, event, type, url: url ?? '', state, attempts, ...outcome }];
}
