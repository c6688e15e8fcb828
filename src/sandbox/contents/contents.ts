import { Refusal } from '../refusal.ts';
import { newDataId } from '../state/ids.ts';
import type { Contact, Resettable } from '../state/records.ts';
import type { Core, State } from '../state/state.ts';
import { type NewContents, readContents, shownProblems } from './read.ts';
import { sampleData } from './sample-data.ts';

/** Deletes messages, contacts, logs, or all, and restores deleted sample data. Connected clients keep working. */
export function reset({ store }: Core, what: Resettable): void {
  const { state } = store;
  const isOf = (kind: Resettable) => what === kind || what === 'all';
  if (isOf('messages')) {
    state.messages.clear();
    state.months = {};
  }
  if (isOf('contacts')) state.contacts.clear();
  if (isOf('logs')) {
    state.events.clear();
    state.requests.clear();
  }
  if (what === 'all') {
    state.templates.clear();
    state.campaigns.clear();
  }
  if (what !== 'logs') state.dataId = newDataId();
  if (isOf('contacts')) addSampleData(state, what);
  store.happened({ type: 'reset', what });
}

/** Adds the data of a new sandbox, or only its contacts. */
export function addSampleData(state: State, what: 'contacts' | Resettable = 'all'): void {
  for (const contact of sampleData.contacts) state.contacts.put(contact);
  if (what !== 'all') return;
  for (const template of sampleData.templates) state.templates.put(template);
  for (const campaign of sampleData.campaigns) state.campaigns.put(campaign);
}

/** Adds records or replaces those with the same key. If any is invalid, throws a Refusal and changes nothing. */
export function seed(core: Core, value: unknown) {
  const { contents, problems } = readContents(value);
  if (problems.length > 0) throw new Refusal(400, shownProblems(problems).join('; '));
  put(contents, core);
  const { contacts, templates, campaigns } = contents;
  return { contacts: contacts.length, templates: templates.length, campaigns: campaigns.length };
}

type Stamp = Pick<Contact, 'id' | 'created_at'>;

/** A replaced record keeps its id and creation time, unless the input sets others. */
function put({ contacts, templates, campaigns }: NewContents, { store, ids, clock }: Core): void {
  const { state } = store;
  const named = new Map(state.campaigns.all().map((campaign) => [campaign.name, campaign]));
  const stamp = (prefix: string, fields: Partial<Stamp>, before: Stamp | undefined): Stamp => ({
    id: fields.id ?? before?.id ?? ids.id(prefix),
    created_at: fields.created_at ?? before?.created_at ?? new Date(clock.now()).toISOString(),
  });
  for (const template of templates) {
    const id = template.id ?? state.templates.get(template.name)?.id ?? ids.id('tpl_sandbox');
    state.templates.put({ ...template, id });
  }
  for (const campaign of campaigns) {
    const before = campaign.id === undefined ? named.get(campaign.name) : state.campaigns.get(campaign.id);
    state.campaigns.put({ ...campaign, ...stamp('cmp_sandbox', campaign, before) });
  }
  for (const contact of contacts)
    state.contacts.put({ ...contact, ...stamp('con_sandbox', contact, state.contacts.get(contact.phone)) });
  store.happened({ type: 'contents' });
}
