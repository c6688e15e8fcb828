import { Refusal } from '../refusal.ts';
import { type Ids, newDataId } from '../state/ids.ts';
import { compact, type Store } from '../state/store.ts';
import type { Campaign, Change, Contact, Message, Resettable, SandboxEvent, Template } from '../state/records.ts';
import { inParts } from '../state/snapshot.ts';
import type { State } from '../state/state.ts';
import type { Clock } from '../time/clock.ts';
import { type NewContents, readContents, shownProblems } from './read.ts';
import { seeds } from './sample-data.ts';

/** What a sandbox holds, in its user's hands. */
export interface Contents {
  /** Lets go of what was sent, of the logs, or of all; the contacts and the rest it began with come back. */
  reset(what: Resettable): void;
  /** Takes records, in place of those that it knows; all of them, or with a Refusal none. */
  seed(contents: unknown): Seeded;
  export(): Exported;
}

/** How many of each it took. */
interface Seeded {
  readonly contacts: number;
  readonly templates: number;
  readonly campaigns: number;
}

interface Exported {
  readonly contacts: readonly Contact[];
  readonly templates: readonly Template[];
  readonly campaigns: readonly Campaign[];
  readonly messages: readonly (Message & { readonly status: string })[];
  readonly events: readonly SandboxEvent[];
}

interface Office {
  readonly store: Store;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}

export function createContents({ store, ids, clock, warn }: Office): Contents {
  const { state, commit } = store;
  return {
    reset(what) {
      commit([{ type: 'reset', what, ...(what !== 'logs' && { dataId: newDataId() }) }, ...beginning(what)]);
      compact(store, warn);
    },
    seed(value) {
      const { contents, problems } = readContents(value);
      checkNone(problems);
      checkNone(clashesOf(contents, state));
      commit(countedOn(contents, state, ids));
      let { serial } = state;
      const id = (prefix: string) => ids.id(prefix, ++serial);
      for (const part of inParts(seedChanges(contents, { state, now: clock.now(), id }))) commit(part);
      const { contacts, templates, campaigns } = contents;
      return { contacts: contacts.length, templates: templates.length, campaigns: campaigns.length };
    },
    export: () => ({
      contacts: state.contacts.list,
      templates: state.templates.list,
      campaigns: state.campaigns.list,
      messages: [...state.messages.values()].map(({ message, status }) => ({ ...message, status })),
      events: [...state.events],
    }),
  };
}

/** What is there again after a reset. */
function beginning(what: Resettable): readonly Change[] {
  if (what === 'all') return seeds;
  return what === 'contacts' ? seeds.filter(({ type }) => type === 'contact') : [];
}

function checkNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Refusal(400, shownProblems(problems).join('; '));
}

/** From a sandbox of the same seed come ids that this one has yet to give: it goes on after them. */
function countedOn(contents: NewContents, { serial, events, calls }: State, ids: Ids): readonly Change[] {
  const { contacts, templates, campaigns } = contents;
  const given = [...contacts, ...templates, ...campaigns].map(({ id }) => id);
  const highest = given.reduce((most, id) => Math.max(most, ids.serialOf(id ?? '') ?? 0), 0);
  if (highest <= serial) return [];
  const [eventsBefore, callsBefore] = [events.cursor - events.length, calls.cursor - calls.length];
  return [{ type: 'counters', counters: { serial: highest, events: eventsBefore, calls: callsBefore } }];
}

interface Making {
  readonly state: State;
  readonly now: number;
  readonly id: (prefix: string) => string;
}

/** Of what is known already, a record keeps its id and the time of its creation, unless others are given. */
function seedChanges({ contacts, templates, campaigns }: NewContents, making: Making): readonly Change[] {
  const { state, id } = making;
  const named = new Map(state.campaigns.list.map((campaign) => [campaign.name, campaign]));
  return [
    ...templates.map((given): Change => {
      const known = state.templates.by.get(given.name);
      return { type: 'template', template: { ...given, id: given.id ?? known?.id ?? id('tpl_sandbox') } };
    }),
    ...campaigns.map((given): Change => {
      const known = given.id === undefined ? named.get(given.name) : state.campaigns.by.get(given.id);
      return { type: 'campaign', campaign: { ...given, ...stamp('cmp_sandbox', given, known, making) } };
    }),
    ...contacts.map((given): Change => {
      const known = state.contacts.by.get(given.phone);
      return { type: 'contact', contact: { ...given, ...stamp('con_sandbox', given, known, making) } };
    }),
  ];
}

interface Identified {
  readonly id?: string | undefined;
}

/** Given ids that belong to other records. */
function clashesOf({ contacts, templates }: NewContents, state: State): readonly string[] {
  return [
    ...clashesIn<Identified & Pick<Contact, 'phone'>>('contacts', contacts, state.contacts, ({ phone }) => phone),
    ...clashesIn<Identified & Pick<Template, 'name'>>('templates', templates, state.templates, ({ name }) => name),
  ];
}

interface Stamp {
  readonly id: string;
  readonly created_at: string;
}

type Stamped = { readonly [K in keyof Stamp]?: string | undefined };

function stamp(prefix: string, given: Stamped, known: Stamp | undefined, { id, now }: Making): Stamp {
  return {
    id: given.id ?? known?.id ?? id(prefix),
    created_at: given.created_at ?? known?.created_at ?? new Date(now).toISOString(),
  };
}

function clashesIn<R extends Identified>(
  kind: string,
  given: readonly R[],
  { list }: { readonly list: readonly R[] },
  keyOf: (record: R) => string,
): readonly string[] {
  const owners = new Map(list.map((record) => [record.id, keyOf(record)]));
  return given.flatMap((record, at) => {
    const owner = record.id === undefined ? undefined : owners.get(record.id);
    return owner === undefined || owner === keyOf(record) ? [] : [`/${kind}/${at}/id belongs to ${owner}`];
  });
}
