import { type Otherwise, parsed, refused, type Reply, send } from './rig.ts';

const otherStatus = (status: number, reply: Reply): Reply => ({ ...reply, status });
const isPost = (path: string): ((asked: { method: string; path: string }) => boolean) => {
  return (asked) => asked.method === 'POST' && asked.path === path;
};
const isSend = isPost(send);
const isContact = isPost('/api/public/contacts');
const isGet = (name: string, asked: { method: string; path: string }) =>
  asked.method === 'GET' && asked.path === `/api/public/${name}`;
const isHalf = (body: string) => body !== '' && parsed(body) === undefined;

interface Broken {
  readonly clause: string;
  readonly how: string;
  readonly otherwise?: Otherwise;
  readonly key?: string;
  readonly prefix?: string;
  readonly argv?: readonly string[];
}

const withMessage =
  (body: unknown): Otherwise =>
  (asked, reply) =>
    isSend(asked) && reply.status === 200 ? { status: 200, body } : undefined;

/** Services that keep to the document but for one clause. */
export const broken: readonly Broken[] = [
  {
    clause: 'json',
    how: 'a list comes as HTML',
    otherwise: (asked, reply) =>
      isGet('campaigns', asked) && reply.status === 200 ? { status: 200, body: '<p>', type: 'text/html' } : undefined,
  },
  {
    clause: 'json',
    how: 'a 401 is empty',
    otherwise: (_, reply) => (reply.status === 401 ? { status: 401, body: '', type: '' } : undefined),
  },
  {
    clause: 'json',
    how: 'JSON is called text',
    otherwise: (asked, reply) => (isGet('templates', asked) ? { ...reply, type: 'text/plain' } : undefined),
  },
  {
    clause: 'json',
    how: 'what is called JSON is none',
    otherwise: (_, reply) => (reply.status === 400 ? { status: 400, body: 'oh, {' } : undefined),
  },
  {
    clause: 'json',
    how: 'a contact that is created is answered with nothing',
    otherwise: (asked, reply) =>
      isContact(asked) && reply.status === 201 ? { status: 201, body: '', type: '' } : undefined,
  },
  {
    clause: 'statuses',
    how: 'a status is no status of HTTP',
    otherwise: ({ query }, reply) => (query === '' ? undefined : otherStatus(499, reply)),
  },
  {
    clause: 'listContacts',
    how: 'it is not there',
    otherwise: (asked) => (isGet('contacts', asked) ? refused(404) : undefined),
  },
  {
    clause: 'listTemplates',
    how: 'it is answered 400',
    otherwise: (asked, reply) => (isGet('templates', asked) && reply.status === 200 ? refused(400) : undefined),
  },
  {
    clause: 'listCampaigns',
    how: 'it is elsewhere',
    otherwise: (asked, reply) =>
      isGet('campaigns', asked) && reply.status === 200
        ? { status: 301, body: {}, headers: { Location: '/campaigns' } }
        : undefined,
  },
  {
    clause: 'sendTemplate',
    how: 'it is not there',
    otherwise: (asked, reply) => (isSend(asked) && reply.status !== 401 ? refused(404) : undefined),
  },
  {
    clause: 'createContact',
    how: 'it takes no POST',
    otherwise: (asked, reply) => (isContact(asked) && reply.status !== 401 ? refused(405) : undefined),
  },
  {
    clause: 'send-status',
    how: 'a message is answered 202',
    otherwise: (asked, reply) => (isSend(asked) && reply.status === 200 ? otherStatus(202, reply) : undefined),
  },
  { clause: 'message-id', how: 'it is a number', otherwise: withMessage({ message_id: 7 }) },
  { clause: 'message-id', how: 'it is empty', otherwise: withMessage({ message_id: '' }) },
  { clause: 'message-id', how: 'it is missing', otherwise: withMessage({ id: 'm_1' }) },
  { clause: 'message-id', how: 'the answer is an array', otherwise: withMessage([{ message_id: 'm_1' }]) },
  { clause: 'key-prefix', how: 'a key has another one', key: 'plain-4f9Qm2Zp', argv: ['--yes'] },
  {
    clause: 'missing-key',
    how: 'a list needs none',
    otherwise: (asked) =>
      isGet('templates', asked) && asked.authorization === undefined ? { status: 200, body: [] } : undefined,
  },
  {
    clause: 'missing-key',
    how: 'it is answered 403',
    otherwise: ({ authorization }) => (authorization === undefined ? refused(403) : undefined),
  },
  {
    clause: 'missing-key',
    how: 'a message needs none',
    otherwise: (asked) =>
      isSend(asked) && asked.authorization === undefined ? { status: 200, body: { message_id: 'm_1' } } : undefined,
  },
  {
    clause: 'invalid-key',
    how: 'any will do',
    otherwise: ({ authorization = '', method }) =>
      method === 'GET' && authorization.includes('NoSuchKey') ? { status: 200, body: [] } : undefined,
  },
  {
    clause: 'missing-field',
    how: 'it is answered 422',
    otherwise: (asked, reply) =>
      isSend(asked) && reply.status === 400 && parsed(asked.body)?.['params'] !== 3 && !isHalf(asked.body)
        ? otherStatus(422, reply)
        : undefined,
  },
  {
    clause: 'missing-field',
    how: 'a message to nobody is taken',
    otherwise: (asked) =>
      isSend(asked) && asked.body.startsWith('{"template"') ? { status: 200, body: { message_id: 'm_1' } } : undefined,
  },
  {
    clause: 'malformed-message',
    how: 'it is answered 500, again and again',
    otherwise: (asked, reply) =>
      isSend(asked) && isHalf(asked.body) && reply.status === 400 ? otherStatus(500, reply) : undefined,
  },
  {
    clause: 'field-types',
    how: 'numbers are taken',
    otherwise: (asked) =>
      isSend(asked) && asked.body.startsWith('{"to":1') ? { status: 200, body: { message_id: 'm_1' } } : undefined,
  },
  {
    clause: 'malformed-contact',
    how: 'it is answered 415',
    otherwise: (asked, reply) =>
      isContact(asked) && isHalf(asked.body) && reply.status === 400 ? otherStatus(415, reply) : undefined,
  },
  {
    clause: 'unknown-resource',
    how: 'there is something at every path',
    otherwise: (_, reply) => (reply.status === 404 ? { status: 200, body: {} } : undefined),
  },
  {
    clause: 'unknown-resource',
    how: 'an ID that nobody has is answered 400',
    otherwise: ({ path }, reply) => (path.includes('no-such-id') ? otherStatus(400, reply) : undefined),
  },
  { clause: 'no-version-segment', how: 'it has one', prefix: '/v2' },
];
