import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveLocal } from '../support/local.ts';
import { openWorld, type World } from '../support/world.ts';

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

/** The first three rows are unsure, and the others are not sent. */
async function stoppedRun(): Promise<string> {
  const path = people(10);
  const effect = { kind: 'status', status: 500 } as const;
  world.sandbox.faults.add({ on: ['createContact'], effect });
  const { code } = await importing(path, '--concurrency', '1');
  expect(code).not.toBe(0);
  world.sandbox.faults.clear();
  return path;
}

describe('a dry run of an unfinished run', () => {
  it.each([
    ['that the rest would be sent', [], 7],
    ['that unsure rows would be sent too', ['--retry-unsure'], 10],
    ['that a separate run would send all rows', ['--again'], 10],
    ['that the first five rows would be complete', ['--first', '5'], 2],
  ] as const)('says %s: %j', async (_, words, left) => {
    const path = await stoppedRun();
    const said = await rehearsing(path, ...words);
    expect(said).toMatchObject({ code: 0, rows: 10, ready: 10, would_send: left });
    const before = world.sandbox.requests().length;
    await importing(path, ...words);
    expect(world.sandbox.requests().length - before).toBe(left);
  });

  it('names the run that it would continue', async () => {
    const path = await stoppedRun();
    const [{ id }] = JSON.parse((await world.run(['runs', 'list', '-o', 'json'])).stdout);
    expect(await rehearsing(path)).toMatchObject({ run: id, skipped: { unsure: 3 } });
    expect(await rehearsing(path, '--again')).toMatchObject({ run: null });
  });

  it.each([
    [[], '+12025550104'],
    [['--retry-unsure'], '+12025550101'],
  ])('shows the first body of the file: %j', async (words) => {
    const path = await stoppedRun();
    expect((await rehearsing(path, ...words)).first?.phone).toMatch(/^\+120255501/);
  });

  it('says why rows would be skipped', async () => {
    const path = await stoppedRun();
    const { stdout } = await importing(path, '--dry-run', '-o', 'table');
    expect(stdout).toContain('\n3 would be skipped: unsure\n');
    await importing(path);
    const again = await importing(path, '--dry-run', '-o', 'table');
    expect(again.stdout).toContain('10 would be skipped: 7 imported earlier by another run, 3 unsure\n');
  });

  it('does not change the run', async () => {
    const path = await stoppedRun();
    const files = () =>
      readdirSync(join(world.home, '.local/state/bizmsg'), { recursive: true, encoding: 'utf8' }).toSorted();
    const before = files();
    await rehearsing(path, '--again');
    await rehearsing(path, '--job', 'a');
    expect(await rehearsing(path)).toMatchObject({ skipped: { unsure: 3 }, would_send: 7 });
    expect(files()).toEqual(before);
  });
});

it('a dry run writes nothing on a machine without a ledger', async () => {
  await rehearsing(people(3));
  expect(existsSync(join(world.home, '.local/state/bizmsg/ledger'))).toBe(false);
});

it('a dry run reports why a batch would be refused, with its exit code', async () => {
  world.sandbox.keys.goLive();
  const env = { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live };
  const argv = ['send-batch', 'welcome', people(3), '--at-most', '3'];
  expect((await world.run(argv, { env })).code).toBe(0);
  const table = await world.run([...argv, '--dry-run', '-o', 'table'], { env });
  const refused = await world.run(argv, { env });
  expect([table.code, refused.code]).toEqual([11, 11]);
  expect(table.stdout).toMatch(
    /^this command would stop: people of this input got this template before: 3 found[^]*\n0 of 3 rows would be sent; nothing was sent\n$/,
  );
  expect(refused.stderr).toContain('3 found, by run');
  const json = await world.run([...argv, '--dry-run', '-o', 'json'], { env });
  expect(JSON.parse(json.stdout)).toMatchObject({ would_send: 0, refused: { code: 'sent-before' } });
});

it('a dry run uses the plan of the running sandbox', async () => {
  world.sandbox.setPlan({ name: 'scale', perMinute: 40, without: [] });
  expect(await rehearsing(people(3))).toMatchObject({ code: 0, pace: { requests: 36, window_seconds: 60 } });
  expect(world.sandbox.requests()).toEqual([]);
});

describe('the duration that a dry run estimates', () => {
  const saying = async (count: number, ...words: readonly string[]) =>
    (await importing(people(count), '--dry-run', '-o', 'table', ...words)).stdout.trimEnd().split('\n').at(-2);

  it.each([
    [270, [], 'the limit of 270 a minute does not slow it down'],
    [498, [], 'at 270 a minute it takes at least 1 min: 270 at once, then 228 a minute later'],
    [700, [], 'at 270 a minute it takes at least 2 min: 270 at once, then 270 each minute'],
    [6, ['--rate', '4/s'], 'at 4 a second it takes at least 1 s: 4 at once, then 2 a second later'],
    [30, ['--rate', 'none'], 'requests are not paced: --rate none'],
    [
      700,
      ['--rate', '600/m'],
      '600 a minute is more than the plan allows (300 a minute): at 300 a minute it takes at least 2 min: 300 at once, then 300 each minute',
    ],
  ])('of %i rows: %j', async (count, words, line) => {
    world.sandbox.setPlan({ name: 'growth', perMinute: undefined, perMonth: undefined, without: [] });
    expect(await saying(count, ...words)).toBe(line);
  });

  it('follows the plan, also in JSON', async () => {
    world.sandbox.setPlan({ name: 'growth', perMinute: undefined, perMonth: undefined, without: [] });
    const pace = { requests: 600, window_seconds: 60 };
    expect(await rehearsing(people(700), '--rate', '600/m')).toMatchObject({
      pace,
      plan_per_minute: 300,
      least_seconds: 120,
    });
  });

  it('comes with a hint to practice with a plan in the sandbox', async () => {
    await serveLocal(world.home);
    const words = ['contacts', 'import', people(3), '--dry-run', '-o', 'table', '--profile', 'local'];
    expect((await world.run(words, { env: {} })).stdout).toContain(
      'no plan is known, so requests are not paced; --rate limits them (bizmsg sandbox plan set growth simulates a plan)',
    );
  });
});

describe('a dry run of a JSON array', () => {
  it('counts records instead of lines', async () => {
    const path = join(world.home, 'people.json');
    writeFileSync(path, '[{"phone":"+12025550141"},{"phone":"+12025550141"},7]');
    const { stdout } = await importing(path, '--dry-run', '-o', 'table');
    expect(stdout).toContain('\n  1 x it is a number, not an object (record 3)\n');
    expect(stdout).toContain('\n1 row repeats an earlier row (record 2: the same as record 1)\n');
  });
});

describe('phones in a dry run', () => {
  const noted = (text: string, ...words: readonly string[]) => {
    const path = join(world.home, 'people.csv');
    writeFileSync(path, text);
    return importing(path, '--dry-run', '-o', 'json', ...words);
  };

  it('must not be empty', async () => {
    const { code, stdout } = await noted('phone,name\n+12025550141,Ada\n,Bo\n');
    const bad = { bad: 1, bad_rows: [{ line: 3, row: 2, reason: 'phone: it is empty' }] };
    expect([code, JSON.parse(stdout)]).toMatchObject([10, bad]);
  });
});

it('refuses --columns with NDJSON output', async () => {
  const { code, stdout, stderr } = await importing(people(3), '-o', 'ndjson', '--columns', 'line,outcome');
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('--columns')]);
  expect(world.sandbox.requests()).toEqual([]);
});

it('a batch of a header alone prints a note, and one without a byte is refused', async () => {
  const batch = (stdin: string) => world.run(['send-batch', 'welcome', '-'], { stdin });
  expect(await batch('phone\n')).toMatchObject({ code: 0, stderr: expect.stringContaining('there are no rows') });
  expect(await batch('')).toMatchObject({ code: 2, stderr: expect.stringContaining('"stdin" is empty') });
});

it('an empty input of a job has its name', async () => {
  const { stdout } = await importing(people(0), '--job', 'nightly', '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ rows: 0, job: 'nightly' });
});

it('an import of a file without rows prints a note, and does not store a run', async () => {
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
