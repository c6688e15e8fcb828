import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '../client/servers.ts';
import { temporaryHome } from '../support/bin.ts';
import { cli, later } from '../support/cli.ts';

/** A clock that skips waits of two seconds or more, in order. */
function hastyClock() {
  let ahead = 0;
  const steady = () => performance.now() + ahead;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const fireNext = () => {
    const [next] = Array.from(timers).sort((a, b) => a.at - b.at);
    if (!next) return;
    timers.delete(next);
    ahead += Math.max(0, Math.ceil(next.at - steady()));
    next.run();
  };
  return {
    now: () => Date.now() + ahead,
    steady,
    later: (milliseconds: number, run: () => void) => {
      if (milliseconds < 2_000) return later(milliseconds, run);
      const timer = { at: steady() + milliseconds, run };
      timers.add(timer);
      const cancel = later(0, fireNext);
      return () => {
        timers.delete(timer);
        cancel();
      };
    },
  };
}

it.each([
  ['300', 0, 'sent'],
  ['601', 7, 'waiting'],
])('a batch with Retry-After: %s ends with exit %i and counts its row as %s', async (seconds, code, outcome) => {
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
