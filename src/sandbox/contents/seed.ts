import type { Change } from '../changes.ts';
import type { Shelf, State } from '../state.ts';
import type { GivenContents } from './read.ts';

interface Making {
  readonly state: State;
  readonly now: number;
  readonly id: (prefix: string) => string;
}

/** Of what is known already, a record keeps its id and the time of its creation, unless others are given. */
export function seedChanges({ contacts, templates, campaigns }: GivenContents, making: Making): readonly Change[] {
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

/** Ids that are given, and are those of other records. */
export function clashesOf({ contacts, templates }: GivenContents, state: State): readonly string[] {
  return [
    ...clashesIn('contacts', contacts, state.contacts, ({ phone }) => phone),
    ...clashesIn('templates', templates, state.templates, ({ name }) => name),
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

function clashesIn<G extends { readonly id?: string | undefined }, K extends G>(
  kind: string,
  given: readonly G[],
  { list }: Pick<Shelf<K>, 'list'>,
  keyOf: (record: G) => string,
): readonly string[] {
  const owners = new Map(list.map((record) => [record.id, keyOf(record)]));
  return given.flatMap((record, at) => {
    const owner = record.id === undefined ? undefined : owners.get(record.id);
    return owner === undefined || owner === keyOf(record) ? [] : [`/${kind}/${at}/id is that of ${owner}`];
  });
}
