import { type EndpointName, endpoints } from '../../contract/endpoints.ts';
import * as read from '../../contract/readers.ts';
import { addContact, addMessage } from '../events/emit.ts';
import { type Exchange, json, jsonBody, type Outcome } from '../exchange.ts';
import { record } from '../readers.ts';
import { badBody, readOrRefuse, Refusal } from '../refusal.ts';
import type { Key } from '../state/records.ts';
import type { Core, State } from '../state/state.ts';
import { isMonthUsedUp } from './admission.ts';
import { listAnswer } from './answers.ts';

/** The input of a handler. */
export interface Request {
  readonly exchange: Exchange;
  readonly query: URLSearchParams;
  readonly key: Key;
  readonly now: number;
}

export const handlers: Readonly<Record<EndpointName, (request: Request, core: Core) => Outcome>> = {
  sendTemplate,
  listContacts: ({ query }, { store }) => ({ reply: listAnswer(store.state.contacts.all(), query) }),
  createContact,
  listTemplates: ({ query }, { store }) => ({ reply: listAnswer(store.state.templates.all(), query) }),
  listCampaigns: ({ query }, { store }) => ({ reply: listAnswer(store.state.campaigns.all(), query) }),
};

function sendTemplate({ exchange, now, key }: Request, core: Core): Outcome {
  const { state } = core.store;
  const { to, template, params } = readOrRefuse(endpoints.sendTemplate.body, jsonBody(exchange));
  checkTemplate(state, template, params.length);
  // §8.2 leaves the status open.
  if (isMonthUsedUp(state, now)) throw new Refusal(429, "the plan's monthly messages are used up");
  const { id } = addMessage(core, { to, template, params, mode: key.mode, key: key.id }, now);
  return { reply: json(200, { message_id: id }), message: id };
}

function checkTemplate(state: State, name: string, count: number): void {
  const template = state.templates.get(name);
  if (!template) throw new Refusal(404, `there is no template "${name}"`);
  if (template.status !== 'APPROVED')
    throw new Refusal(404, `the template "${name}" is not approved: ${template.status}`);
  const { length } = template.variables;
  if (count !== length) throw badBody(`the template "${name}" takes ${length} params, not ${count}`, '/params');
}

function createContact({ exchange, now }: Request, core: Core): Outcome {
  const { phone, name, tags = [], attributes = {} } = readOrRefuse(contactBody, jsonBody(exchange));
  const contact = core.store.state.contacts.get(phone);
  if (contact) return { reply: json(200, contact) };
  return { reply: json(201, addContact(core, { phone, name, tags, attributes }, now)) };
}

/** The document does not show this body: we require a phone, accept three more fields and ignore others. */
const contactBody = read.object({
  phone: read.phone,
  name: read.optional(read.string),
  tags: read.optional(read.list(read.string)),
  attributes: read.optional(record),
});
