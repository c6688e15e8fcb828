import { describe, expect, it } from 'vitest';
import { deadPort } from '../../client/servers.ts';
import { callerOf } from '../../support/fake-service.ts';
import { examine, openService, type Override, refused, send } from './rig.ts';

const verdictOf = async (url: string, id: string, argv: readonly string[] = []) =>
  (await examine(url, argv)).clauses.get(id)?.verdict;

describe('doctor --contract', () => {
  it.each([401, 402, 403, 429])('reports no difference for a POST answered with %i', async (status) => {
    const { url } = await openService(({ method }, reply) =>
      method === 'POST' && reply.status === 400 ? { ...refused(status), headers: { 'Retry-After': '600' } } : undefined,
    );
    const { code, differing, clauses } = await examine(url);
    expect([code, differing, clauses.get('malformed-message')?.verdict]).toEqual([0, [], 'unclear']);
  });

  it.each([402, 403, 500, 503])('reports no difference for a list answered with %i', async (status) => {
    const { url } = await openService(({ path }, reply) =>
      path.endsWith('/campaigns') && reply.status === 200 ? refused(status) : undefined,
    );
    const { code, clauses, differing } = await examine(url);
    expect([code, differing, clauses.get('listCampaigns')?.verdict]).toEqual([0, [], 'unclear']);
  });

  it.each<[string, Override]>([
    ['bodies before keys', (asked) => (asked.method === 'POST' && !asked.authorization ? refused(400) : undefined)],
    ['the template before the recipient', ({ body }) => (body.startsWith('{"template"') ? refused(404) : undefined)],
  ])('reports no difference for a service that checks %s', async (_, override) => {
    const { url } = await openService(override);
    const { code, differing } = await examine(url);
    expect([code, differing]).toEqual([0, []]);
  });

  it.each([403, 429, 500])('reports a %i that it sees, and does not provoke one', async (status) => {
    const { url } = await openService(({ path }, _, times) =>
      path.endsWith('/campaigns') && times === 1 ? { ...refused(status), headers: { 'Retry-After': '0' } } : undefined,
    );
    const quiet = await openService();
    expect(await verdictOf(url, `status-${status}`)).toBe('seen');
    expect(await verdictOf(quiet.url, `status-${status}`)).toBe('not seen');
  });

  it('reports no difference for a temporary fault, and continues', async () => {
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

  it('reports nothing about a clause if the connection breaks', async () => {
    const { url } = await openService(({ body }, reply) =>
      body === '{"phone":' ? { ...reply, breaks: true } : undefined,
    );
    const { code, clauses } = await examine(url);
    expect([code, clauses.get('malformed-contact')?.verdict]).toEqual([0, 'unclear']);
  });
});

describe('doctor --contract without an API to compare', () => {
  it('ends with 4 and no report if the key is refused', async () => {
    const { url, seen } = await openService();
    const { code, stdout } = await examine(url, [], { env: callerOf(url, 'sk_test_nobodyKnowsThisKey00') });
    expect([code, stdout, seen.length]).toEqual([4, '', 4]);
  });

  it('ends with 4 if the key has no permissions', async () => {
    const { url } = await openService((_, reply) => (reply.status === 401 ? undefined : refused(403)));
    expect((await examine(url)).code).toBe(4);
  });

  it('ends with 9 if the connection is refused', async () => {
    expect((await examine(`http://127.0.0.1:${await deadPort()}`)).code).toBe(9);
  });

  it('ends with 5 if the address has no API', async () => {
    const { url } = await openService(() => refused(404));
    const { code, stderr } = await examine(url);
    expect([code, stderr.includes('nothing of the API answers')]).toEqual([5, true]);
  });

  it('ends with 8 if every response is a fault', async () => {
    const { url } = await openService(() => refused(500));
    expect((await examine(url)).code).toBe(8);
  });

  it('ends with 9 if the service disconnects midway', async () => {
    const { url } = await openService(({ path }, reply) =>
      path.includes('no-such-path') ? { ...reply, breaks: true } : undefined,
    );
    expect((await examine(url)).code).toBe(9);
  });
});
