import { readOrRefuse } from '../refusal.ts';
import { newDataId } from '../state/ids.ts';
import type { Campaign, Contact, Resettable, Template } from '../state/records.ts';
import type { Core, State } from '../state/state.ts';
import { newContents } from './read.ts';

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
export function addSampleData(state: State, what: Resettable = 'all'): void {
  for (const contact of sampleData.contacts) state.contacts.put(contact);
  if (what !== 'all') return;
  for (const template of sampleData.templates) state.templates.put(template);
  for (const campaign of sampleData.campaigns) state.campaigns.put(campaign);
}

/** Adds records or replaces those with the same key. If any is invalid, throws a Refusal and changes nothing. */
export function seed({ store, ids, clock }: Core, value: unknown) {
  const { contacts = [], templates = [], campaigns = [] } = readOrRefuse(newContents, value);
  const { state } = store;
  const named = new Map(state.campaigns.all().map((campaign) => [campaign.name, campaign]));
  // A replaced record keeps its id and creation time, unless the input sets others.
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
  return { contacts: contacts.length, templates: templates.length, campaigns: campaigns.length };
}

type Stamp = Pick<Contact, 'id' | 'created_at'>;

const texts = [
  ['order_update', 'en_US', 'UTILITY', 'Hello {{1}}, your order {{2}} is on its way.', ['name', 'order']],
  ['welcome', 'en_US', 'MARKETING', 'Welcome! Write to us here whenever you need us.', []],
  ['appointment_reminder', 'en_US', 'UTILITY', 'Hello {{1}}, see you on {{2}} at {{3}}.', ['name', 'day', 'time']],
  ['verification_code', 'en_US', 'AUTHENTICATION', 'Your code is {{1}}.', ['code']],
  ['pedido_enviado', 'es', 'UTILITY', 'Hola {{1}}, tu pedido {{2}} va en camino.', ['nombre', 'pedido']],
  ['spring_sale', 'en_US', 'MARKETING', 'Spring is here, {{1}}: 20 % off.', ['name'], 'PENDING'],
  ['regalo', 'es', 'MARKETING', '¡Tu regalo te espera!', [], 'REJECTED'],
] as const;

/** With the audience, and the messages sent, delivered, read and failed. */
const broadcasts = [
  ['Welcome to new customers', 'welcome', 'COMPLETED', 120, [120, 117, 96, 3]],
  ['Order updates', 'order_update', 'RUNNING', 40, [25, 24, 11, 0]],
  ['Reminders for May', 'appointment_reminder', 'SCHEDULED', 60, [0, 0, 0, 0]],
] as const;

const people = [
  ['+12025550111', 'Grace Hopper', ['customer']],
  ['+12025550112', 'Alan Turing', ['customer', 'vip']],
  ['+12025550113', 'Katherine Johnson', []],
  ['+12025550114', 'Edsger Dijkstra', ['lead']],
  ['+12025550115', 'Margaret Hamilton', ['customer']],
] as const;

/** Initial data of a sandbox: templates of every kind, campaigns, and contacts with fictional numbers. */
const sampleData = {
  templates: texts.map(([name, language, category, body, variables, status = 'APPROVED' as const], at): Template => {
    return { id: `tpl_sandbox_${at + 1}`, name, language, category, status, body, variables };
  }),
  campaigns: broadcasts.map(([name, template, status, audience, [sent, delivered, read, failed]], at): Campaign => {
    const counts = { sent, delivered, read, failed };
    return { id: `cmp_sandbox_${at + 1}`, name, template, status, audience, counts, created_at: day(at) };
  }),
  contacts: people.map(([phone, name, tags], at): Contact => {
    return { id: `con_sandbox_${at + 1}`, phone, name, tags, attributes: {}, created_at: day(at) };
  }),
} as const;

function day(number: number): string {
  return new Date(Date.UTC(2026, 0, number + 1, 9)).toISOString();
}
