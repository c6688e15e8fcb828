import { Refusal } from '../refusal.ts';
import { type Ids, newDataId } from '../state/ids.ts';
import { compact } from '../state/store.ts';
import type { Change, Resettable } from '../state/records.ts';
import { batches } from '../state/snapshot.ts';
import type { Collection, Core, State } from '../state/state.ts';
import { type NewContents, readContents, shownProblems } from './read.ts';
import { seeds } from './sample-data.ts';

/** Resets and fills the contents of a sandbox. */
export function createContents({ store, ids, clock, warn }: Core) {
  const { state, commit } = store;
  return {
    /** Deletes messages, contacts, logs, or all; deleted sample data is restored. */
    reset(what: Resettable) {
      const reset: Change = what === 'logs' ? { type: 'reset', what } : { type: 'reset', what, dataId: newDataId() };
      commit([reset, ...sampleDataFor(what)]);
      compact(store, warn);
    },
    /** Adds records or replaces known ones. If any is invalid, throws a Refusal and changes nothing. */
    seed(value: unknown) {
      const { contents, problems } = readContents(value);
      refuseProblems(problems);
      refuseProblems(clashesOf(contents, state));
      commit(skipSerials(contents, state, ids));
      let { serial } = state;
      const id = (prefix: string) => ids.id(prefix, ++serial);
      for (const batch of batches(seedChanges(contents, { state, now: clock.now(), id }))) commit(batch);
      const { contacts, templates, campaigns } = contents;
      return { contacts: contacts.length, templates: templates.length, campaigns: campaigns.length };
    },
  };
}

/** Sample data to restore after a reset. */
function sampleDataFor(what: Resettable): readonly Change[] {
  if (what === 'all') return seeds;
  return what === 'contacts' ? seeds.filter(({ type }) => type === 'contact') : [];
}

function refuseProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new Refusal(400, shownProblems(problems).join('; '));
}

/** Skips the serials of imported ids, since a sandbox with the same seed may have used them already. */
function skipSerials(contents: NewContents, { serial }: State, ids: Ids): readonly Change[] {
  const { contacts, templates, campaigns } = contents;
  const given = [...contacts, ...templates, ...campaigns].map(({ id }) => id);
  const highest = given.reduce((most, id) => Math.max(most, ids.serialOf(id ?? '') ?? 0), 0);
  return highest > serial ? [{ type: 'counters', counters: { serial: highest } }] : [];
}

interface SeedContext {
  readonly state: State;
  readonly now: number;
  readonly id: (prefix: string) => string;
}

/** Builds the changes. A known record keeps its id and creation time, unless the input sets others. */
function seedChanges({ contacts, templates, campaigns }: NewContents, context: SeedContext): readonly Change[] {
  const { state, id } = context;
  const named = new Map(state.campaigns.list.map((campaign) => [campaign.name, campaign]));
  return [
    ...templates.map((given): Change => {
      const known = state.templates.by.get(given.name);
      return { type: 'template', template: { ...given, id: given.id ?? known?.id ?? id('tpl_sandbox') } };
    }),
    ...campaigns.map((given): Change => {
      const known = given.id === undefined ? named.get(given.name) : state.campaigns.by.get(given.id);
      return { type: 'campaign', campaign: { ...given, ...stamp('cmp_sandbox', given, known, context) } };
    }),
    ...contacts.map((given): Change => {
      const known = state.contacts.by.get(given.phone);
      return { type: 'contact', contact: { ...given, ...stamp('con_sandbox', given, known, context) } };
    }),
  ];
}

interface Stamp {
  readonly id: string;
  readonly created_at: string;
}

type Stamped = { readonly [K in keyof Stamp]?: string | undefined };

function stamp(prefix: string, given: Stamped, known: Stamp | undefined, { id, now }: SeedContext): Stamp {
  return {
    id: given.id ?? known?.id ?? id(prefix),
    created_at: given.created_at ?? known?.created_at ?? new Date(now).toISOString(),
  };
}

/** Finds input ids that other records already have. */
function clashesOf({ contacts, templates }: NewContents, state: State): readonly string[] {
  return [
    ...clashesIn('contacts', contacts, state.contacts, ({ phone }) => phone),
    ...clashesIn('templates', templates, state.templates, ({ name }) => name),
  ];
}

function clashesIn<R extends { readonly id?: string | undefined }>(
  kind: string,
  given: readonly R[],
  { by }: Collection<{ readonly id: string }>,
  keyOf: (record: R) => string,
): readonly string[] {
  const owners = new Map(Array.from(by, ([key, { id }]) => [id, key]));
  return given.flatMap((record, at) => {
    const owner = record.id === undefined ? undefined : owners.get(record.id);
    return owner === undefined || owner === keyOf(record) ? [] : [`/${kind}/${at}/id belongs to ${owner}`];
  });
}
