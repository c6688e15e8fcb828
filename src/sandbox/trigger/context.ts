import type { Change, Contact, SandboxEvent, Template } from '../state/records.ts';
import { Refusal } from '../refusal.ts';
import type { State } from '../state/state.ts';

/** What is decided from; nothing here is changed. */
export interface Desk {
  readonly state: State;
  readonly now: number;
  /** A new identifier, of which each must end up in a change. */
  readonly id: (prefix: string) => string;
  readonly random: () => number;
}

/** What a trigger has happen: the state changes first, and then there is the event. */
export interface Caused {
  readonly changes: readonly Change[];
  readonly ids: Readonly<Record<string, string>>;
}

export function eventChange({ id, now }: Desk, event: Pick<SandboxEvent, 'type' | 'data' | 'message'>): Change {
  return { type: 'event', event: { id: id('evt'), at: now, ...event } };
}

/** By phone or id; of many without a name, the first. */
export function contactNamed({ contacts }: State, which: string | undefined): Contact {
  const found =
    which === undefined ? contacts.list[0] : (contacts.by.get(which) ?? contacts.list.find(({ id }) => id === which));
  if (found) return found;
  throw which === undefined
    ? new Refusal(404, 'there is no contact yet: create one first')
    : new Refusal(404, `there is no contact ${which}`);
}

/** One that can be sent; of many without a name, the first. */
export function templateNamed({ templates }: State, which: string | undefined): Template {
  const found =
    which === undefined ? templates.list.find(({ status }) => status === 'APPROVED') : templates.by.get(which);
  if (found?.status === 'APPROVED') return found;
  if (found) throw new Refusal(400, `the template "${found.name}" is not approved: ${found.status}`);
  throw new Refusal(404, which === undefined ? 'no template is approved' : `there is no template "${which}"`);
}
