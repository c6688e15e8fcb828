// "The document" is the specification of the Business Messaging Public API; §4 is its section 4.

import * as read from './readers.ts';
import { isRecord, type Reader } from './readers.ts';

export interface Endpoint<Body = unknown, Answer = unknown> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Reader<Body>;
  readonly answer: Reader<Answer>;
}

type Family = 'Messages' | 'Contacts' | 'Flows' | 'Templates' | 'Webhooks' | 'Analytics';

// §4
export const endpoints = {
  sendTemplate: {
    method: 'POST',
    path: '/api/public/messages/send-template',
    body: read.object({ to: read.phone, template: read.string, params: read.list(read.string) }),
    answer: read.object({ message_id: read.id }, read.notShown),
  },
  listContacts: { method: 'GET', path: '/api/public/contacts', answer: read.notShown },
  createContact: { method: 'POST', path: '/api/public/contacts', body: read.notShown, answer: read.notShown },
  listTemplates: { method: 'GET', path: '/api/public/templates', answer: read.notShown },
  listCampaigns: { method: 'GET', path: '/api/public/campaigns', answer: read.notShown },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;
export const endpointNames = Object.keys(endpoints).filter((name): name is EndpointName => name in endpoints);
export type ListName = {
  [N in EndpointName]: (typeof endpoints)[N]['method'] extends 'GET' ? N : never;
}[EndpointName];
export type BodyOf<N extends EndpointName> = (typeof endpoints)[N] extends { readonly body: Reader<infer B> }
  ? B
  : undefined;
export type AnswerOf<N extends EndpointName> = ReturnType<(typeof endpoints)[N]['answer']>;

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

// §7
export const statuses = {
  400: { name: 'Bad Request', cause: 'The request body is missing a required field or is malformed.' },
  401: { name: 'Unauthorized', cause: 'The key is missing, invalid or revoked.' },
  403: { name: 'Forbidden', cause: 'The plan does not include access to the endpoint.' },
  404: { name: 'Not Found', cause: 'The referenced resource ID does not exist.' },
  429: { name: 'Rate Limited', cause: "The plan's requests-per-minute limit has been exceeded." },
  500: {
    name: 'Server Error',
    cause: 'A fault on the service side. Persisting faults are to be reported to support.',
  },
} as const;

export type ErrorStatus = keyof typeof statuses;

/** The message in the parsed body of an error, if one of the usual fields has it. §7 does not show the body. */
export function errorDetail(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  const nested = isRecord(body['error']) ? body['error'] : {};
  const places = [body['detail'], body['message'], nested['message'], nested['detail'], body['error'], body['title']];
  return places
    .filter((text) => typeof text === 'string')
    .find((text) => text.length <= 200 && /^[^\p{Cc}]+$/u.test(text));
}
