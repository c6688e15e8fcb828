import type { Sandbox as Service } from '../sandbox.ts';
import type { Sandbox } from './types.ts';
import { deliveriesOf } from './webhooks.ts';

type Seen = 'messages' | 'contacts' | 'templates' | 'campaigns' | 'events' | 'deliveries' | 'requests';

/** What is inside, each time as a copy that nothing later changes. */
export function seenIn(service: Service): Pick<Sandbox, Seen> {
  return {
    messages: () =>
      service.messages().map(({ id, to, template, params, mode, status, sentAt }) => {
        return { id, to, template, params: [...params], mode, status, sentAt: new Date(sentAt) };
      }),
    contacts: () => [...service.contacts()],
    templates: () => [...service.templates()],
    campaigns: () => [...service.campaigns()],
    events: () => eventsIn(service),
    deliveries: () => deliveriesOf(service),
    requests: () => requestsOf(service),
  };
}

export function eventsIn({ events }: Service, after?: number): ReturnType<Sandbox['events']> {
  return events(after).map(({ id, type, at, data, payload }) => ({ id, type, at: new Date(at), data, payload }));
}

function requestsOf({ keys, requests }: Service): ReturnType<Sandbox['requests']> {
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
