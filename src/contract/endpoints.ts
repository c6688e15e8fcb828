// "The document" is the specification of the Business Messaging Public API; §4 is its section 4.

import * as read from './readers.ts';
import type { Reader } from './readers.ts';

export interface Endpoint<Body = unknown, Answer = unknown> {
  readonly family: Family;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly purpose: string;
  readonly body?: Reader<Body>;
  readonly answer: Reader<Answer>;
  /** Success status of a mutating request. */
  readonly success?: number | Reader<unknown>;
  readonly query?: Reader<unknown>;
  readonly pagination?: Reader<unknown>;
}

export type Family = 'Messages' | 'Contacts' | 'Flows' | 'Templates' | 'Webhooks' | 'Analytics';

// §4
export const endpoints = {
  sendTemplate: {
    family: 'Messages',
    method: 'POST',
    path: '/api/public/messages/send-template',
    purpose: 'Send an approved template message to one recipient.',
    body: read.object({ to: read.phone, template: read.string, params: read.list(read.string) }),
    success: 200,
    answer: read.object({ message_id: read.id }, read.notShown),
  },
  listContacts: {
    family: 'Contacts',
    method: 'GET',
    path: '/api/public/contacts',
    purpose: 'Lists contacts of the account.',
    query: read.notShown,
    pagination: read.notShown,
    answer: read.notShown,
  },
  createContact: {
    family: 'Contacts',
    method: 'POST',
    path: '/api/public/contacts',
    purpose: 'Creates a contact.',
    body: read.notShown,
    success: read.notShown,
    answer: read.notShown,
  },
  listTemplates: {
    family: 'Templates',
    method: 'GET',
    path: '/api/public/templates',
    purpose: 'Lists message templates.',
    query: read.notShown,
    answer: read.notShown,
  },
  listCampaigns: {
    family: 'Templates',
    method: 'GET',
    path: '/api/public/campaigns',
    purpose: 'Lists campaigns.',
    query: read.notShown,
    answer: read.notShown,
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;
export const endpointNames = Object.keys(endpoints).filter((name): name is EndpointName => name in endpoints);
export type ListName = NamesBy<'GET'>;
export type PostName = NamesBy<'POST'>;
export function isPost(name: EndpointName): name is PostName {
  return endpoints[name].method === 'POST';
}
type NamesBy<M> = { [N in EndpointName]: (typeof endpoints)[N]['method'] extends M ? N : never }[EndpointName];
export type BodyOf<N extends EndpointName> = (typeof endpoints)[N] extends { readonly body: Reader<infer B> }
  ? B
  : undefined;
export type AnswerOf<N extends EndpointName> = ReturnType<(typeof endpoints)[N]['answer']>;

// §2: the fields of these records
export const records = {
  contact: read.notShown,
  template: read.notShown,
  campaign: read.notShown,
} as const;

/** Features that the document announces. There are no commands for them yet. */
export interface Announced {
  readonly family: Family;
  /** Command names that users might try. */
  readonly words: readonly string[];
  readonly features: readonly string[];
}

// §2, §4
export const announced: readonly Announced[] = [
  {
    family: 'Messages',
    words: ['messages', 'media'],
    features: ['media sending', 'delivery-status lookup', 'plain text and interactive sending'],
  },
  { family: 'Contacts', words: ['segments', 'tags'], features: ['contact update', 'tagging', 'segments'] },
  { family: 'Flows', words: ['flows'], features: ['trigger a flow'] },
  { family: 'Templates', words: [], features: ['template submission', 'approval-status check'] },
  { family: 'Webhooks', words: [], features: ['webhook management'] },
  { family: 'Analytics', words: ['analytics'], features: ['campaign, conversation and agent-performance metrics'] },
];

export const announcedShape = {
  paths: read.notShown,
  methods: read.notShown,
  shapes: read.notShown,
} as const;

// §9
export const versioning = {
  scheme: read.notShown,
  selection: read.notShown,
  deprecation: read.notShown,
} as const;
