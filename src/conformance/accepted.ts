import { named, type PostName, type Probe } from './probes.ts';
import { isRecord } from '../contract/readers.ts';
import type { Sighting } from './sightings.ts';
import { type Facts } from './verdict.ts';
import { isSuccess } from './answer.ts';

/** A request that had to be refused, and was taken. */
export interface Accepted {
  readonly request: string;
  readonly status: number;
  readonly message_id: string | null;
  /** What may have come of it. */
  readonly perhaps: string;
}

const outcomes: Readonly<Record<PostName, string>> = {
  sendTemplate: 'a message may have been sent',
  createContact: 'a contact may have been created',
};

/** All of them: what a service answers to one that it is asked again counts as well. */
export function acceptedIn({ probe, answers }: Sighting): readonly Accepted[] {
  const { method, endpoint } = probe;
  if (method !== 'POST') return [];
  return answers
    .filter(({ status }) => isSuccess(status))
    .map(({ status, content }) => ({
      request: named(probe),
      status,
      message_id: content.kind === 'json' ? messageId(content.value) : null,
      perhaps: endpoint === 'createContact' ? outcomes.createContact : outcomes.sendTemplate,
    }));
}

/** `POST … without template: 200, message_id m_1; a message may have been sent` */
export function toldOf({ request, status, message_id: id, perhaps }: Accepted): string {
  return `${request}: ${status}${id === null ? '' : `, message_id ${id}`}; ${perhaps}`;
}

/** Whether nothing more is posted there: what one may have done, the next one may do again. */
export function isBarred(probe: Probe, seen: readonly Sighting[], { isSandbox }: Facts): boolean {
  if (probe.method !== 'POST') return false;
  const taken = seen.filter((sighting) => acceptedIn(sighting).length > 0);
  return taken.some(({ probe: { endpoint } }) => !isSandbox || endpoint === probe.endpoint);
}

function messageId(body: unknown): string | null {
  const id = isRecord(body) ? body['message_id'] : undefined;
  return typeof id === 'string' ? id.slice(0, 200) : null;
}
