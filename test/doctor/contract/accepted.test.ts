import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/base/json.ts';
import { serve } from '../../client/servers.ts';
import { cli } from '../../support/cli.ts';
import { callerOf, newHome } from '../../support/fake-service.ts';
import { examine, key, openService, type Override, refused, send } from './rig.ts';

const liveKey = 'sk_live_7Rw1Kc5NbY6uJe0SqMvA';
const contacts = '/api/public/contacts';

/** Accepts every POST. */
const acceptPosts: Override = ({ method }) =>
  method === 'POST' ? { status: 200, body: { message_id: 'm_77' } } : undefined;

const postsTo = (seen: Awaited<ReturnType<typeof openService>>['seen']) =>
  seen.filter(({ method }) => method === 'POST').map(({ url }) => url);

describe('a service that accepts requests it must refuse', () => {
  it.each([liveKey, 'plain-4f9Qm2Zp'])('gets no POST after the first with the key %s', async (own) => {
    const { url, seen } = await openService(acceptPosts);
    const { code } = await examine(url, [], { env: callerOf(url, own) });
    expect([code, postsTo(seen)]).toEqual([12, [send]]);
  });

  it('gets one POST to the other endpoint with a sandbox key', async () => {
    const { url, seen } = await openService(acceptPosts);
    const { code } = await examine(url);
    expect([code, postsTo(seen)]).toEqual([12, [send, contacts]]);
  });

  it('is reported with the reason why clauses were not tried', async () => {
    const { url } = await openService(acceptPosts);
    const { clauses } = await examine(url, [], { env: callerOf(url, liveKey) });
    expect(clauses.get('malformed-contact')).toMatchObject({
      verdict: 'not tried',
      seen: [`POST ${contacts} with half a JSON: not tried: an incomplete request was accepted`],
    });
    expect(clauses.get('createContact')?.verdict).toBe('not tried');
    expect(clauses.get('missing-field')?.verdict).toBe('differs');
    expect(clauses.get('key-scope')?.seen).not.toContain(`POST ${contacts}: allowed`);
  });

  it('is reported on stdout and stderr with the message id', async () => {
    const { url } = await openService(acceptPosts);
    const home = newHome();
    const env = callerOf(url, liveKey);
    const { stdout, stderr } = await cli(['doctor', '--contract'], { home, env });
    for (const text of [stdout, stderr].map((one) => one.replaceAll(/\s+/g, ' '))) {
      expect(text).toContain('a message may have been sent');
      expect(text).toContain('m_77');
    }
  });

  it('is reported in the JSON with the accepted requests', async () => {
    const [bad, good] = [await openService(acceptPosts), await openService()];
    const [{ stdout }, refusing] = [await examine(bad.url), await examine(good.url)];
    expect(parseJson(stdout)).toMatchObject({
      accepted: [
        { request: `POST ${send} without template`, status: 200, message_id: 'm_77' },
        { request: `POST ${contacts} with half a JSON`, status: 200, message_id: 'm_77' },
      ],
    });
    expect(parseJson(refusing.stdout)).toMatchObject({ accepted: [] });
  });

  it('is reported even if it disconnects later', async () => {
    const { url } = await openService((asked, reply, times) =>
      asked.path.includes('no-such-path') ? { ...reply, breaks: true } : acceptPosts(asked, reply, times),
    );
    const { code, stderr } = await examine(url, [], { env: callerOf(url, liveKey) });
    expect([code, stderr.includes('m_77')]).toEqual([9, true]);
  });
});

describe('a service', () => {
  it.each([201, 206, 226])('can answer a list with %i without a difference', async (status) => {
    const { url } = await openService(({ path, method }, reply) =>
      method === 'GET' && path === contacts && reply.status === 200 ? { ...reply, status } : undefined,
    );
    const { code, clauses } = await examine(url);
    expect([code, clauses.get('listContacts')?.verdict]).toEqual([0, 'holds']);
  });

  it('that ignores keys differs in missing-key, and proves nothing about bearer', async () => {
    const { url } = await openService(({ method }, reply) => {
      if (reply.status !== 401) return undefined;
      return method === 'GET' ? { status: 200, body: [] } : refused(400);
    });
    const { clauses } = await examine(url);
    expect([clauses.get('bearer')?.verdict, clauses.get('missing-key')?.verdict]).toEqual(['unclear', 'differs']);
  });
});

it('reports a response that is compressed without a request for it', async () => {
  const { url, seen } = await serve((_, __, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
    response.end(gzipSync('[]'));
  });
  const { clauses } = await examine(url, [], { env: callerOf(url, key) });
  expect(clauses.get('json')?.seen).toContain(
    `GET ${contacts}: 200, application/json, compressed (gzip), which was not asked for, not JSON`,
  );
  expect(seen.map(({ headers }) => headers['accept-encoding'])).toEqual(seen.map(() => 'identity'));
});
