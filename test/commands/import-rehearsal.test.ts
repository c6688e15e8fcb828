import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../support/world.ts';
import { openWorld } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const importing = (path: string, ...words: readonly string[]) => world.run(['contacts', 'import', path, ...words]);
const rehearsing = async (path: string, ...words: readonly string[]) => {
  const { code, stdout, stderr } = await importing(path, '--dry-run', '-o', 'json', ...words);
  return { code, stderr, ...JSON.parse(stdout) };
};

function people(count: number, more = ''): string {
  const path = join(world.home, 'people.csv');
  const rows = Array.from({ length: count }, (_, at) => `+1202${5_550_101 + at}\n`);
  writeFileSync(path, `phone\n${rows.join('')}${more}`);
  return path;
}

/** Row 1 is unsure, and the others are not sent. */
async function stoppedRun(): Promise<string> {
  const path = people(10);
  const effect = { kind: 'status', status: 500 } as const;
  world.sandbox.faults.add({ on: ['createContact'], effect });
  const { code } = await importing(path, '--concurrency', '1', '--max-errors', '1');
  expect(code).not.toBe(0);
  world.sandbox.faults.clear();
  return path;
}

describe('a rehearsal of a run that was begun before', () => {
  it.each([
    ['goes on with what is left', ['--resume'], 0, 9],
    ['goes on with what is unsure too', ['--resume', '--allow-unsure'], 0, 10],
    ['begins anew', ['--restart'], 0, 10],
    ['is refused', [], 11, 0],
  ] as const)('says that it %s: %j', async (_, words, code, left) => {
    const path = await stoppedRun();
    const said = await rehearsing(path, ...words);
    expect(said).toMatchObject({ code, rows: 10, ready: 10, would_send: left });
    const before = world.sandbox.requests().length;
    await importing(path, ...words);
    expect(world.sandbox.requests().length - before).toBe(left);
  });

  it('says why it is refused, as the run itself does', async () => {
    const path = people(3);
    await importing(path);
    const rehearsal = await importing(path, '--dry-run', '-o', 'table');
    const run = await importing(path);
    expect([rehearsal.code, run.code]).toEqual([11, 11]);
    expect(rehearsal.stdout).toMatch(
      /^0 of 3 rows would be sent; nothing was sent\nit would be refused: .* was finished/,
    );
    expect(run.stderr).toContain('was finished');
    expect(rehearsal.stderr).toBe(run.stderr);
  });

  it('says that a line has changed since it was sent', async () => {
    const path = await stoppedRun();
    writeFileSync(path, 'phone\n+12025550999\n');
    const said = await rehearsing(path, '--resume');
    expect(said).toMatchObject({ code: 11, would_send: 0, refused: { code: 'run-changed' } });
  });

  it('leaves the run as it is', async () => {
    const path = await stoppedRun();
    await rehearsing(path, '--restart');
    expect(await rehearsing(path, '--resume')).toMatchObject({ run: { done: 0, failed: 0, unsure: 1 }, would_send: 9 });
  });
});

it('reads the plan of the sandbox that runs', async () => {
  world.sandbox.setPlan({ name: 'scale', perMinute: 40, without: [] });
  expect(await rehearsing(people(3))).toMatchObject({ code: 0, pace: { requests: 36, window_seconds: 60 } });
  expect(world.sandbox.requests()).toEqual([]);
});

it('takes no --query where rows are told as they come', async () => {
  const { code, stdout, stderr } = await importing(people(3), '-o', 'ndjson', '--query', 'code');
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('--query')]);
  expect(world.sandbox.requests()).toEqual([]);
});

it('of a file without rows says so, and keeps no run that a second one would repeat', async () => {
  const path = people(0);
  for (const _ of ['first', 'second']) {
    const { code, stdout, stderr } = await importing(path);
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringContaining('0 of 0 rows'),
      expect.stringContaining('there are no rows'),
    ]);
  }
  const runs = join(world.home, '.local/state/bizmsg/runs');
  expect(existsSync(runs) ? readdirSync(runs) : []).toEqual([]);
});
