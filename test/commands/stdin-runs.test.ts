import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../support/world.ts';
import { openWorld } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const rows = (...phones: readonly string[]) => phones.map((to) => `{"to":"${to}"}\n`).join('');
const sent = () => world.sandbox.messages().map(({ to }) => to);
const [ada, alan, bad, grace, joan] = ['+12025550141', '+12025550142', '12', '+12025550144', '+12025550145'];
const stopping = rows(ada, alan, bad, grace);

function batch(stdin: string, ...words: readonly string[]) {
  const flags = ['--format', 'ndjson', '--concurrency', '1', '--max-errors', '1', '-o', 'json'];
  return world.run(['send-batch', 'welcome', '-', ...flags, ...words], { stdin });
}

describe('a batch of stdin that was stopped', () => {
  let stopped: Awaited<ReturnType<typeof batch>>;
  beforeEach(async () => {
    stopped = await batch(stopping);
  });

  it('says with what it goes on, and that nothing needs to be piped in for it', () => {
    const { code, stderr } = stopped;
    expect([code, sent()]).toEqual([2, [ada, alan]]);
    expect(stderr).toMatch(/nothing needs to be piped in; go on with: bizmsg send-batch welcome - [^"]*--resume"/);
  });

  it('goes on with --resume when more is piped in, and nobody gets a second message', async () => {
    const { code, stdout } = await batch(stopping + rows(joan), '--resume');
    expect([code, JSON.parse(stdout), sent()]).toMatchObject([10, { rows: 5, done: 4 }, [ada, alan, grace, joan]]);
  });

  it('names the first line that is not what it was, and sends nothing', async () => {
    const { code, stderr } = await batch(rows(joan) + stopping, '--resume');
    expect([code, sent()]).toEqual([11, [ada, alan]]);
    expect(stderr).toContain('line 1 of stdin (row 1) has changed since it was sent');
  });

  it('is refused without --resume, with how far it came', async () => {
    const { code, stderr } = await batch(stopping + rows(joan));
    expect([code, sent()]).toEqual([11, [ada, alan]]);
    expect(stderr).toMatch(/this batch of stdin is not finished[^"]*: 2 of 4 rows are done, 1 failed; run /);
  });

  it('is not given up for other rows, which --restart begins beside it', async () => {
    const [older, newer] = ['+12025550151', '+12025550152'];
    const { code } = await batch(rows(older, newer), '--restart');
    await batch('', '--resume');
    expect([code, sent()]).toEqual([0, [ada, alan, older, newer, grace]]);
  });

  it('goes on with its own copy where nothing is piped in', async () => {
    const rehearsed = await batch('', '--resume', '--dry-run');
    expect(JSON.parse(rehearsed.stdout)).toMatchObject({ rows: 4, would_send: 1 });
    const { code, stdout, stderr } = await batch('', '--resume');
    expect([code, JSON.parse(stdout), sent()]).toMatchObject([10, { rows: 4, done: 3, unsent: 0 }, [ada, alan, grace]]);
    expect(stderr).toContain('stdin is empty, so the run goes on with what was piped in before');
    const runs = join(world.home, '.local/state/bizmsg/runs');
    expect(readdirSync(runs, { recursive: true }).filter((path) => /stdin/.test(String(path)))).toEqual([]);
  });

  it('is refused where nothing is piped in and its copy has gone', async () => {
    const runs = join(world.home, '.local/state/bizmsg/runs');
    for (const id of readdirSync(runs)) {
      expect(existsSync(join(runs, id, 'stdin'))).toBe(true);
      rmSync(join(runs, id, 'stdin'));
    }
    const { code, stderr } = await batch('', '--resume');
    expect([code, stderr]).toEqual([
      11,
      expect.stringContaining('stdin is empty, and this batch of stdin is not finished'),
    ]);
  });
});

it.each([[['--resume']], [[]]])('no rows from stdin are no run, with %j', async (words) => {
  const { code, stdout } = await batch('', ...words);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { rows: 0, run: null }]);
});

it('is refused when it was finished and one row more is piped in', async () => {
  await batch(rows(ada, alan));
  const { code, stderr } = await batch(rows(ada, alan, grace));
  expect([code, sent()]).toEqual([11, [ada, alan]]);
  expect(stderr).toContain('2 of these 3 messages were sent by run ');
});
