import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { callerOf, badResponses, openHostile, testKey } from '../support/fake-service.ts';
import { examined, storeAcme } from './doctor-rig.ts';

const answers: readonly {
  readonly what: string;
  readonly status: number;
  readonly body?: string;
  readonly location?: string;
  readonly exit: number;
  readonly found: 'fail' | 'warn';
  readonly remedy: string;
  readonly calls: number;
}[] = [
  { what: '401', status: 401, exit: 4, found: 'fail', remedy: 'bizmsg keys set --profile acme', calls: 1 },
  { what: '403', status: 403, exit: 0, found: 'warn', remedy: 'its scope and the plan', calls: 3 },
  { what: '404', status: 404, exit: 5, found: 'fail', remedy: 'profiles set acme --base-url', calls: 3 },
  { what: '429', status: 429, exit: 0, found: 'warn', remedy: 'wait a minute', calls: 1 },
  { what: '500', status: 500, exit: 8, found: 'fail', remedy: 'contact the support', calls: 3 },
  { what: 'HTML', status: 200, body: '<html>', exit: 8, found: 'fail', remedy: 'belong to the API?', calls: 3 },
  {
    what: 'a redirect to itself',
    status: 302,
    location: '/api/public/contacts',
    exit: 11,
    found: 'fail',
    remedy: 'change the base URL',
    calls: 3,
  },
  { what: 'a redirect', status: 307, exit: 11, found: 'fail', remedy: 'change the base URL', calls: 3 },
];

describe('doctor, if the service responds with', () => {
  it.each(answers)(
    '$what',
    async ({ status, body = '{}', location = 'https://elsewhere.test/', exit, found, remedy, calls }) => {
      const { home, url, seen } = await openHostile((_, __, response) => {
        response.writeHead(status, { 'Retry-After': '60', Location: location }).end(body);
      });
      storeAcme(home, { baseUrl: url, key: testKey });
      const { code, calls: made, checks } = await examined({ home });
      expect(checks['contacts']).toMatchObject({ status: found, remedy: expect.stringContaining(remedy) });
      expect([code, made, seen.length]).toEqual([exit, calls, calls]);
    },
  );

  it('nothing, waits for --timeout and does not retry', async () => {
    const { home, env, seen } = await openHostile(() => {});
    const { code, checks } = await examined({ home, env }, '--timeout', '300ms');
    expect(checks['contacts']).toMatchObject({ status: 'fail', message: expect.stringContaining('within 0.3 s') });
    expect(checks['templates']).toMatchObject({ status: 'skip' });
    expect([code, seen.length]).toEqual([9, 1]);
  });

  it('nothing, stops on Ctrl-C', async () => {
    const leaving = new AbortController();
    const { home, env } = await openHostile(() => leaving.abort('SIGINT'));
    const { code, stdout } = await cli(['doctor'], { home, env, signal: leaving.signal });
    expect([code, stdout]).toEqual([130, '']);
  });

  it('control characters, escapes them', async () => {
    const message = 'a\u001b]0;title\u0007\u202eb';
    const { home, env } = await openHostile((_, __, response) => {
      response.writeHead(404).end(JSON.stringify({ message }));
    });
    const { stdout } = await cli(['doctor', '--no-color'], { home, env, terminal: 80 });
    expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/);
  });

  it('the key itself, masks it', async () => {
    const { home, env } = await openHostile(({ headers }, _, response) => {
      response.writeHead(404).end(JSON.stringify({ message: headers.authorization }));
    });
    const { stdout } = await cli(['doctor'], { home, env });
    expect(stdout).toContain('sk_test_…cdef');
    expect(stdout).not.toContain(testKey);
  });

  it('a date an hour ago, warns about the clock', async () => {
    const { home, env } = await openHostile((_, __, response) => {
      response.writeHead(200, { Date: new Date(Date.now() - 3_600_000).toUTCString() }).end('[]');
    });
    const { code, checks } = await examined({ home, env });
    expect(code).toBe(0);
    expect(checks['clock']).toMatchObject({
      group: 'machine',
      status: 'warn',
      message: expect.stringMatching(/^3\d{3} s ahead/),
    });
  });

  it('invalid HTTP, fails all checks of the service', async () => {
    const { home, url } = await openHostile((_, __, response) => badResponses['invalid HTTP'](response));
    const { code, wrong } = await examined({ home, env: callerOf(url) });
    expect([code, wrong]).toEqual([8, ['plan', 'contacts', 'templates', 'campaigns']]);
  });
});
