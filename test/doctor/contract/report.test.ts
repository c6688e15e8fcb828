import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { authority } from '../../client/servers.ts';
import { cli } from '../../support/cli.ts';
import { callerOf, newHome } from '../../support/fake-service.ts';
import { examine, examined, key, openService, person, send } from './rig.ts';

describe('the report about a service that follows the document', () => {
  it('has no differences', async () => {
    const { url } = await openService();
    const { code, differing, clauses } = await examine(url);
    expect([code, differing]).toEqual([0, []]);
    const checked = ['json', 'bearer', 'sendTemplate', 'createContact'];
    expect(checked.map((id) => clauses.get(id)?.verdict)).toEqual(checked.map(() => 'holds'));
  });

  it('confirms https', async () => {
    const { url } = await openService(undefined, 'https');
    const home = newHome();
    writeFileSync(join(home, 'authority.pem'), authority);
    const argv = ['--ca-file', join(home, 'authority.pem')];
    const { code, clauses } = await examined(argv, { home, env: callerOf(url, key) });
    expect([code, clauses.get('https')?.verdict]).toEqual([0, 'holds']);
  });

  it('counts the calls made, as announced on stderr', async () => {
    const { url, seen } = await openService();
    const { calls, stderr } = await examine(url);
    expect([calls, stderr.includes(`${seen.length} calls`)]).toEqual([seen.length, true]);
  });

  it('needs no valid body, and no POST to other endpoints', async () => {
    const { url, seen } = await openService();
    await examine(url);
    const posts = seen.filter(({ method }) => method !== 'GET');
    expect([...new Set(seen.map(({ method }) => method))].sort()).toEqual(['GET', 'POST']);
    expect(posts.filter(({ body }) => /"to":"/.test(body) && body.includes('template'))).toEqual([]);
    expect(posts.filter(({ url }) => url.endsWith('contacts')).map(({ body }) => body)).toEqual([
      '{"phone":',
      '{"phone":',
    ]);
    expect([...new Set(posts.map(({ url }) => url))]).toEqual([send, '/api/public/contacts']);
  });

  it('lists fields by name and type, without values', async () => {
    const { url } = await openService();
    const { stdout, stderr, clauses } = await examine(url);
    expect(clauses.get('contact-fields')?.seen).toEqual([
      'id: string',
      'phone: string',
      'name: string',
      'tags: array',
      'born: null',
    ]);
    expect(clauses.get('template-fields')?.seen).toEqual(['name: string', 'vars?: number']);
    expect(clauses.get('campaign-fields')).toEqual({ verdict: 'open', seen: ['no record was found in the list'] });
    expect(clauses.get('contact-list')?.seen).toEqual(['an object', 'the records are at /contacts', 'total: number']);
    expect(
      [person.phone, 'Zuzanna', 'c_77', 'm_1', key.slice(8)].filter((one) => (stdout + stderr).includes(one)),
    ).toEqual([]);
  });

  it('omits field names that are data', async () => {
    const records = [{ [person.phone]: 1, 'ada@example.com': 2, 'Ada Lovelace': 3, plain: 4 }];
    const { url } = await openService(({ path }, { status }) =>
      path.endsWith('/contacts') && status === 200 ? { status, body: records } : undefined,
    );
    const { clauses } = await examine(url);
    expect(clauses.get('contact-fields')?.seen).toEqual(['(a name that is data): number', 'plain: number']);
  });

  it.each([[], ['-o', 'json'], ['--debug'], ['--debug', '-o', 'ndjson']])(
    'omits a key that is echoed in every part of a response, with %j',
    async (...argv) => {
      const headers = { 'X-RateLimit-Key': key, [`X-Version-${key}`]: key };
      const body = { [key]: key, error: { [key]: key }, records: [{ [key]: key }] };
      const { url } = await openService((_, { status }) => ({ status, body, headers, type: `application/${key}` }));
      const { stdout, stderr } = await cli(['doctor', '--contract', ...argv], {
        home: newHome(),
        env: callerOf(url, key),
      });
      expect(stdout.length).toBeGreaterThan(1_000);
      expect([key, key.slice(8), key.slice(8).toLowerCase()].filter((one) => (stdout + stderr).includes(one))).toEqual(
        [],
      );
    },
  );

  it('names the headers about rate and version', async () => {
    const headers = { 'X-RateLimit-Limit': '60', 'Retry-After': '1', 'API-Version': '2026-01-01' };
    const { url } = await openService((_, reply) => ({ ...reply, headers }));
    const { clauses } = await examine(url);
    expect(clauses.get('rate-headers')?.seen).toEqual(['retry-after', 'x-ratelimit-limit']);
    expect(clauses.get('versioning')?.seen).toEqual(['api-version']);
  });
});
