import { isoTime } from '../../base/iso-time.ts';
import { type EndpointName, endpoints } from '../../contract/endpoints.ts';
import { listAnswer } from './answers.ts';
import { contactBody, jsonBody } from './bodies.ts';
import type { Contact, Key, Message } from '../state/records.ts';
import { type Exchange, type HandlerResult, json } from '../exchange.ts';
import { isMonthUsedUp } from './admission.ts';
import { receiptsOf } from '../state/receipts.ts';
import { Refusal, badBody, readOrRefuse } from '../refusal.ts';
import type { State } from '../state/state.ts';

/** The input of a handler. Handlers return changes and apply none. */
export interface Request {
  readonly exchange: Exchange;
  readonly query: URLSearchParams;
  readonly key: Key;
  readonly state: State;
  readonly now: number;
  readonly id: (prefix: string) => string;
  readonly random: () => number;
}

export const handlers: Readonly<Record<EndpointName, (request: Request) => HandlerResult>> = {
  sendTemplate,
  listContacts: ({ state, query }) => list(state.contacts, query),
  createContact,
  listTemplates: ({ state, query }) => list(state.templates, query),
  listCampaigns: ({ state, query }) => list(state.campaigns, query),
};

function sendTemplate(request: Request): HandlerResult {
  const { state, now, key } = request;
  const body = jsonBody(request.exchange);
  const { to, template, params } = readOrRefuse(() => endpoints.sendTemplate.body(body));
  checkTemplate(state, template, params.length);
  // §8.2 leaves the status open.
  if (isMonthUsedUp(state, now)) throw new Refusal(429, "the plan's monthly messages are used up");
  const receipts = receiptsOf(to, now, request.random);
  const id = request.id('msg_sandbox');
  const message: Message = { id, to, template, params, mode: key.mode, key: key.id, sentAt: now, receipts };
  return { reply: json(200, { message_id: id }), changes: [{ type: 'message', message }] };
}

function checkTemplate(state: State, name: string, given: number): void {
  const template = state.templates.by.get(name);
  if (!template) throw new Refusal(404, `there is no template "${name}"`);
  if (template.status !== 'APPROVED')
    throw new Refusal(404, `the template "${name}" is not approved: ${template.status}`);
  const { length } = template.variables;
  if (given !== length) throw badBody(`the template "${name}" takes ${length} params, not ${given}`, '/params');
}

function createContact(request: Request): HandlerResult {
  const { state, now } = request;
  const body = contactBody(jsonBody(request.exchange));
  const known = state.contacts.by.get(body.phone);
  if (known) return { reply: json(200, known), changes: [] };
  const contact: Contact = { id: request.id('con_sandbox'), ...body, created_at: isoTime(now) };
  const event = { id: request.id('evt'), type: 'contact.created', at: now, data: contact } as const;
  const changes = [{ type: 'contact', contact } as const, { type: 'event', event } as const];
  return { reply: json(201, contact), changes };
}

function list(collection: State['contacts' | 'templates' | 'campaigns'], query: URLSearchParams): HandlerResult {
  return { reply: listAnswer(collection.list, query), changes: [] };
}
