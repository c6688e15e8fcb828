import { type Override, parsed, refused, type Reply, send } from './rig.ts';

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
  readonly override?: Override;
  readonly key?: string;
  readonly prefix?: string;
}

/** Services that differ from the document in one clause. */
export const broken: readonly Broken[] = [
  {
    clause: 'json',
    how: 'a list is HTML',
    override: (asked, reply) =>
      isGet('campaigns', asked) && reply.status === 200 ? { status: 200, body: '<p>', type: 'text/html' } : undefined,
  },
  {
    clause: 'json',
    how: 'a 401 is empty',
    override: (_, reply) => (reply.status === 401 ? { status: 401, body: '', type: '' } : undefined),
  },
  {
    clause: 'json',
    how: 'JSON has the type text/plain',
    override: (asked, reply) => (isGet('templates', asked) ? { ...reply, type: 'text/plain' } : undefined),
  },
  {
    clause: 'json',
    how: 'a response with the type JSON is not JSON',
    override: (_, reply) => (reply.status === 400 ? { status: 400, body: 'oh, {' } : undefined),
  },
  {
    clause: 'statuses',
    how: 'a status is not defined in HTTP',
    override: ({ query }, reply) => (query === '' ? undefined : otherStatus(499, reply)),
  },
  {
    clause: 'listContacts',
    how: 'it is missing',
    override: (asked) => (isGet('contacts', asked) ? refused(404) : undefined),
  },
  {
    clause: 'listTemplates',
    how: 'it is answered with 400',
    override: (asked, reply) => (isGet('templates', asked) && reply.status === 200 ? refused(400) : undefined),
  },
  {
    clause: 'listCampaigns',
    how: 'it redirects',
    override: (asked, reply) =>
      isGet('campaigns', asked) && reply.status === 200
        ? { status: 301, body: {}, headers: { Location: '/campaigns' } }
        : undefined,
  },
  {
    clause: 'sendTemplate',
    how: 'it is missing',
    override: (asked, reply) => (isSend(asked) && reply.status !== 401 ? refused(404) : undefined),
  },
  {
    clause: 'createContact',
    how: 'it refuses POST',
    override: (asked, reply) => (isContact(asked) && reply.status !== 401 ? refused(405) : undefined),
  },
  { clause: 'key-prefix', how: 'a key has another prefix', key: 'plain-4f9Qm2Zp' },
  {
    clause: 'missing-key',
    how: 'a list needs no key',
    override: (asked) =>
      isGet('templates', asked) && asked.authorization === undefined ? { status: 200, body: [] } : undefined,
  },
  {
    clause: 'missing-key',
    how: 'it is answered with 403',
    override: ({ authorization }) => (authorization === undefined ? refused(403) : undefined),
  },
  {
    clause: 'missing-key',
    how: 'a message needs no key',
    override: (asked) =>
      isSend(asked) && asked.authorization === undefined ? { status: 200, body: { message_id: 'm_1' } } : undefined,
  },
  {
    clause: 'invalid-key',
    how: 'any key is accepted',
    override: ({ authorization = '', method }) =>
      method === 'GET' && authorization.includes('NoSuchKey') ? { status: 200, body: [] } : undefined,
  },
  {
    clause: 'missing-field',
    how: 'it is answered with 422',
    override: (asked, reply) =>
      isSend(asked) && reply.status === 400 && parsed(asked.body)?.['params'] !== 3 && !isHalf(asked.body)
        ? otherStatus(422, reply)
        : undefined,
  },
  {
    clause: 'missing-field',
    how: 'a message without a recipient is accepted',
    override: (asked) =>
      isSend(asked) && asked.body.startsWith('{"template"') ? { status: 200, body: { message_id: 'm_1' } } : undefined,
  },
  {
    clause: 'malformed-message',
    how: 'it is always answered with 500',
    override: (asked, reply) =>
      isSend(asked) && isHalf(asked.body) && reply.status === 400 ? otherStatus(500, reply) : undefined,
  },
  {
    clause: 'field-types',
    how: 'numbers are accepted',
    override: (asked) =>
      isSend(asked) && asked.body.startsWith('{"to":1') ? { status: 200, body: { message_id: 'm_1' } } : undefined,
  },
  {
    clause: 'malformed-contact',
    how: 'it is answered with 415',
    override: (asked, reply) =>
      isContact(asked) && isHalf(asked.body) && reply.status === 400 ? otherStatus(415, reply) : undefined,
  },
  {
    clause: 'unknown-resource',
    how: 'every path exists',
    override: (_, reply) => (reply.status === 404 ? { status: 200, body: {} } : undefined),
  },
  {
    clause: 'unknown-resource',
    how: 'an unknown ID is answered with 400',
    override: ({ path }, reply) => (path.includes('no-such-id') ? otherStatus(400, reply) : undefined),
  },
  { clause: 'no-version-segment', how: 'paths have a version segment', prefix: '/v2' },
];
