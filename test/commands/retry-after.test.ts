import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '../client/servers.ts';
import { temporaryHome } from '../support/bin.ts';
import { cli, later } from '../support/cli.ts';

/** A clock that skips waits of two seconds or more. */
function hastyClock() {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    steady: () => performance.now() + ahead,
    later: (milliseconds: number, run: () => void) => {
      if (milliseconds < 2_000) return later(milliseconds, run);
      return later(0, () => {
        ahead += milliseconds;
        run();
      });
    },
  };
}

it.each([
  ['300', 0, 'sent'],
  ['601', 7, 'not_reached'],
])('a run with Retry-After: %s ends with exit %i and counts its row as %s', async (seconds, code, outcome) => {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const service = await serve((_, __, response) => {
    if (service.seen.length === 1) response.writeHead(429, { 'Retry-After': seconds }).end();
    else response.writeHead(201, { 'Content-Type': 'application/json' }).end('{}');
  });
  const file = join(home.path, 'people.csv');
  writeFileSync(file, 'phone\n+12025550101\n');
  const env = { BIZMSG_BASE_URL: service.url, BIZMSG_API_KEY: 'sk_test_0123456789abcdef' };
  const ran = await cli(['contacts', 'import', file, '-o', 'json'], { home: home.path, env, ...hastyClock() });
  expect(ran.code).toBe(code);
  expect(JSON.parse(ran.stdout)).toMatchObject({ [outcome]: 1 });
  expect(ran.stderr).toMatch(code === 0 ? /429 Rate Limited; going on in 300\.0 s/ : /asks to wait 11 minutes/);
});
