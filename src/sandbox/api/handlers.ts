import { isoTime } from '../../base/iso-time.ts';
import { type EndpointName, endpoints } from '../../contract/endpoints.ts';
import { createdAnswer, listAnswer, pageOf, sentAnswer } from './answers.ts';
import { contactBody, jsonBody } from './bodies.ts';
import type { Contact, Key, Message } from '../state/records.ts';
import type { Exchange, HandlerResult } from '../exchange.ts';
import type { Kind, Records, Shape } from './shapes.ts';
import { isMonthUsedUp } from './admission.ts';
import { receiptsOf } from '../state/receipts.ts';
import { Refusal, badBody, readOrRefuse } from '../refusal.ts';
import type { Collection, State } from '../state/state.ts';

/** The input of a handler. Handlers return changes and apply none. */
export interface Request {
  readonly exchange: Exchange;
  readonly query: URLSearchParams;
  readonly key: Key;
  readonly state: State;
  readonly shape: Shape;
  readonly now: number;
  readonly id: (prefix: string) => string;
  readonly random: () => number;
}

export const handlers: Readonly<Record<EndpointName, (request: Request) => HandlerResult>> = {
  sendTemplate,
  listContacts: (request) => list(request, 'contact', request.state.contacts),
  createContact,
  listTemplates: (request) => list(request, 'template', request.state.templates),
  listCampaigns: (request) => list(request, 'campaign', request.state.campaigns),
};

function sendTemplate(request: Request): HandlerResult {
  const { state, shape, now, key } = request;
  const body = jsonBody(request.exchange);
  const { to, template, params } = readOrRefuse(() => endpoints.sendTemplate.body(body));
  checkTemplate(state, template, params.length);
  if (isMonthUsedUp(state, now)) checkMonth(shape);
  const receipts = receiptsOf(to, now, request.random);
  const id = request.id('msg_sandbox');
  const message: Message = { id, to, template, params, mode: key.mode, key: key.id, sentAt: now, receipts };
  return { reply: sentAnswer(shape, id), changes: [{ type: 'message', message }] };
}

function checkTemplate(state: State, name: string, given: number): void {
  const template = state.templates.by.get(name);
  if (!template) throw new Refusal(404, `there is no template "${name}"`);
  if (template.status !== 'APPROVED')
    throw new Refusal(404, `the template "${name}" is not approved: ${template.status}`);
  const { length } = template.variables;
  if (given !== length) throw badBody(`the template "${name}" takes ${length} params, not ${given}`, '/params');
}

/** §8.2 leaves this open. */
function checkMonth(shape: Shape): void {
  if (shape.monthUsedUp === 'accepted') return;
  throw new Refusal(shape.monthUsedUp, "the plan's monthly messages are used up");
}

function createContact(request: Request): HandlerResult {
  const { state, shape, now } = request;
  const body = contactBody(jsonBody(request.exchange));
  const known = state.contacts.by.get(body.phone);
  if (known) return { reply: createdAnswer(shape, 'contact', known, false), changes: [] };
  const contact: Contact = { id: request.id('con_sandbox'), ...body, created_at: isoTime(now) };
  const event = { id: request.id('evt'), type: 'contact.created', at: now, data: contact } as const;
  const changes = [{ type: 'contact', contact } as const, { type: 'event', event } as const];
  return { reply: createdAnswer(shape, 'contact', contact, true), changes };
}

function list<K extends Kind>(request: Request, kind: K, collection: Collection<Records[K]>): HandlerResult {
  const page = pageOf(collection.list, request.query, request.shape.paging);
  return { reply: listAnswer(request.shape, kind, page), changes: [] };
}
