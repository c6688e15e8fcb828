import { describe, expect, it } from 'vitest';
import { deadPort } from '../../client/servers.ts';
import { callerOf } from '../../support/fake-service.ts';
import { examine, openService, refused, send } from './rig.ts';

const verdictOf = async (url: string, id: string, argv: readonly string[] = []) =>
  (await examine(url, argv)).clauses.get(id)?.verdict;

describe('what says nothing of a clause', () => {
  it.each([401, 402, 403, 429])('a POST that is answered %i is no difference', async (status) => {
    const { url } = await openService(({ method }, reply) =>
      method === 'POST' && reply.status === 400 ? { ...refused(status), headers: { 'Retry-After': '600' } } : undefined,
    );
    const { code, differing, clauses } = await examine(url);
    expect([code, differing, clauses.get('malformed-message')?.verdict]).toEqual([0, [], 'not told']);
  });

  it.each([402, 403, 500, 503])('a list that is answered %i is none either', async (status) => {
    const { url } = await openService(({ path }, reply) =>
      path.endsWith('/campaigns') && reply.status === 200 ? refused(status) : undefined,
    );
    const { code, clauses, differing } = await examine(url);
    expect([code, differing, clauses.get('listCampaigns')?.verdict]).toEqual([0, [], 'not told']);
  });

  it.each([403, 429, 500])('a %i that comes by itself is told, and is not sought', async (status) => {
    const { url } = await openService(({ path }, _, times) =>
      path.endsWith('/campaigns') && times === 1 ? { ...refused(status), headers: { 'Retry-After': '0' } } : undefined,
    );
    const quiet = await openService();
    expect(await verdictOf(url, `status-${status}`)).toBe('seen');
    expect(await verdictOf(quiet.url, `status-${status}`)).toBe('not seen');
  });

  it('a fault that passes is no difference, and no reason to stop', async () => {
    const { url } = await openService(({ path, authorization, body }, reply, times) =>
      path === send && body === '{"to":' && authorization !== undefined && times < 3
        ? { ...reply, ...refused(500) }
        : undefined,
    );
    const { code, clauses } = await examine(url);
    expect([code, clauses.get('malformed-message')?.verdict, clauses.get('status-500')?.verdict]).toEqual([
      0,
      'holds',
      'seen',
    ]);
  });

  it('a connection that breaks instead of an answer is not told', async () => {
    const { url } = await openService(({ body }, reply) =>
      body === '{"phone":' ? { ...reply, breaks: true } : undefined,
    );
    const { code, clauses } = await examine(url);
    expect([code, clauses.get('malformed-contact')?.verdict]).toEqual([0, 'not told']);
  });
});

describe('where there is nothing to compare', () => {
  it('a key that is refused is exit 4, and no report', async () => {
    const { url, seen } = await openService();
    const { code, stdout } = await examine(url, [], { env: callerOf(url, 'sk_test_nobodyKnowsThisKey00') });
    expect([code, stdout, seen.length]).toEqual([4, '', 4]);
  });

  it('a key that may do nothing is exit 4 too', async () => {
    const { url } = await openService((_, reply) => (reply.status === 401 ? undefined : refused(403)));
    expect((await examine(url)).code).toBe(4);
  });

  it('nobody who answers is exit 9', async () => {
    expect((await examine(`http://127.0.0.1:${await deadPort()}`)).code).toBe(9);
  });

  it('an address without the API is exit 5', async () => {
    const { url } = await openService(() => refused(404));
    const { code, stderr } = await examine(url);
    expect([code, stderr.includes('nothing of the API answers')]).toEqual([5, true]);
  });

  it('a service that only has faults is exit 8', async () => {
    const { url } = await openService(() => refused(500));
    expect((await examine(url)).code).toBe(8);
  });

  it('one that goes away on the way is exit 9, and not a list of what could not be told', async () => {
    const { url } = await openService(({ path }, reply) =>
      path.includes('no-such-path') ? { ...reply, breaks: true } : undefined,
    );
    expect((await examine(url)).code).toBe(9);
  });
});
