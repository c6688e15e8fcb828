import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bin } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { errorIn, noteCodes } from '../support/spoken.ts';
import type { World } from '../support/world.ts';
import * as rig from './import-rig.ts';

function write({ home }: World, name: string, text: string): string {
  const file = join(home, name);
  writeFileSync(file, text);
  return file;
}

const mode = (file: string) => statSync(file).mode & 0o777;
const importing = (file: string, ...more: readonly string[]) => ['contacts', 'import', file, '-o', 'json', ...more];
const reason = 'the service answered 400 Bad Request: /phone must be "+" followed by digits';
const inJson = JSON.stringify(reason);

describe('rows that came to nothing', () => {
  it.each([
    [
      'csv',
      'phone;name\n+12025550141;Ada\n12025550142;"Alan; M."\n',
      `phone;name;bizmsg_error\n12025550142;"Alan; M.";"${reason.replaceAll('"', '""')}"\n`,
    ],
    [
      'ndjson',
      '{"phone":"+12025550141"}\n{"phone":"12025550142","tags":["a"]}\n',
      `{"phone":"12025550142","tags":["a"],"bizmsg_error":${inJson}}\n`,
    ],
    [
      'json',
      '[{"phone":"+12025550141"},\n{"phone":"12025550142","tags":["a"]}]',
      `[\n{"phone":"12025550142","tags":["a"],"bizmsg_error":${inJson}}\n]\n`,
    ],
  ])('are in a file of their own, in %s as the input, to be mended and imported', async (format, text, rejected) => {
    const world = await rig.newWorld();
    const { code, stdout } = await world.bin(importing(write(world, `people.${format}`, text)));
    const failed = join(world.home, `people.failed.${format}`);
    const told = { done: 1, failed: 1, failed_file: failed, unsure_file: null };
    expect([code, rig.summaryIn(stdout), mode(failed)]).toMatchObject([10, told, 0o600]);
    expect(readFileSync(failed, 'utf8')).toBe(rejected);
    writeFileSync(failed, rejected.replace('12025550142', '+12025550142'));
    const mended = await world.bin(importing(failed));
    expect([mended.code, rig.summaryIn(mended.stdout)]).toMatchObject([0, { rows: 1, done: 1 }]);
    expect(world.sandbox.contacts().map(({ phone }) => phone)).toContain('+12025550142');
  });

  it('are apart where nobody knows what became of them, and can be sent again on purpose', async () => {
    const world = await rig.newWorld();
    rig.strike(world.sandbox, { kind: 'reset' }, { after: true, times: 1 });
    const file = write(world, 'people.csv', 'phone\n+12025550141\n12025550142\n');
    const argv = ['send-batch', 'welcome', file, '-o', 'json', '--concurrency', '1'];
    const { code, stdout } = await world.bin(argv);
    const unsure = join(world.home, 'people.unsure.csv');
    const told = { done: 0, failed: 1, unsure: 1, unsure_lines: [2], unsure_file: unsure };
    expect([code, rig.summaryIn(stdout), mode(unsure)]).toMatchObject([10, told, 0o600]);
    expect(rig.linesOf(unsure)).toEqual([
      'phone,bizmsg_error',
      expect.stringMatching(/^\+12025550141,.*connection .* broke/),
    ]);
    expect(rig.linesOf(join(world.home, 'people.failed.csv'))).toHaveLength(2);
    const again = await world.bin(['send-batch', 'welcome', unsure, '--allow-unsure', '-o', 'json']);
    expect([again.code, world.sandbox.messages().map(({ to }) => to)]).toEqual([0, ['+12025550141', '+12025550141']]);
  });

  it('of stdin are in the folder of the run, whose copy of it goes when it is finished', async () => {
    const world = await rig.newWorld();
    const argv = ['contacts', 'import', '-', '--format', 'csv', '-o', 'json'];
    const { code, stdout } = await world.bin(argv, world.env, 'phone\n+12025550141\n12025550142\n');
    const { run, failed_file: file } = rig.summaryIn(stdout);
    const folder = join(world.home, '.local/state/bizmsg/runs', String(run));
    expect([code, file, mode(String(file))]).toEqual([10, join(folder, 'failed.csv'), 0o600]);
    expect(readdirSync(folder).sort()).toEqual(['failed.csv', 'files.json', 'journal.ndjson']);
    expect(readdirSync(folder).map((name) => mode(join(folder, name)))).toEqual([0o600, 0o600, 0o600]);
  });
});

describe('stdin', () => {
  it('is imported, and a run of it goes on when the same is piped in again', async () => {
    const world = await rig.newWorld();
    rig.slow(world);
    const text = readFileSync(rig.writePeople(world, 400), 'utf8');
    const argv = ['send-batch', 'welcome', '-', '--format', 'csv', '-o', 'json'];
    const running = rig.start(world, argv, text);
    await rig.untilSent(world, 100, running);
    alive(running.pid, 'SIGKILL');
    await running.ended;
    const refused = await world.bin(argv, world.env, text);
    expect([refused.code, errorIn(refused.stderr)]).toMatchObject([11, { code: 'run-unfinished' }]);
    const { code, stdout } = await world.bin([...argv, '--resume'], world.env, text);
    expect([code, rig.summaryIn(stdout)]).toMatchObject([10, { rows: 400, unsure: rig.concurrency, unsent: 0 }]);
    expect(rig.twice(world)).toEqual([]);
    expect(readdirSync(join(world.home, '.local/state/bizmsg/runs'))).toHaveLength(1);
  });
});

describe('what was run before', () => {
  it('is refused where it was finished, and repeated only on purpose', async () => {
    const world = await rig.newWorld();
    const argv = ['send-batch', 'welcome', rig.writePeople(world, 5), '-o', 'json'];
    await world.bin(argv);
    const second = await world.bin(argv);
    expect([second.code, second.stdout, errorIn(second.stderr)]).toMatchObject([11, '', { code: 'run-repeated' }]);
    const resumed = await world.bin([...argv, '--resume']);
    expect([resumed.code, rig.summaryIn(resumed.stdout)]).toMatchObject([0, { rows: 5, done: 5 }]);
    expect(world.sandbox.counts().messages).toBe(5);
    const repeated = await world.bin([...argv, '--allow-repeat']);
    expect([repeated.code, world.sandbox.counts().messages]).toEqual([0, 10]);
    expect(repeated.stderr).toContain('set aside');
    expect(repeated.stderr).not.toContain('given up');
  });

  it('goes on with a file whose unsent rows have changed, and not where a sent one has', async () => {
    const world = await rig.newWorld();
    rig.slow(world);
    const file = rig.writePeople(world, 400);
    const argv = ['send-batch', 'welcome', file, '-o', 'json'];
    const running = rig.start(world, argv);
    await rig.untilSent(world, 100, running);
    alive(running.pid, 'SIGINT');
    expect(await running.ended).toBe(130);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(rig.phoneOf(1), rig.phoneOf(9_001)));
    const refused = await world.bin([...argv, '--resume']);
    const message = `line 2 of "${file}" (row 1) has changed since it was sent`;
    expect([refused.code, errorIn(refused.stderr)]).toMatchObject([11, { code: 'run-changed', message }]);
    writeFileSync(file, text.replace(rig.phoneOf(400), rig.phoneOf(9_400)));
    const { code, stdout } = await world.bin([...argv, '--resume']);
    expect([code, rig.summaryIn(stdout), rig.twice(world)]).toMatchObject([0, { rows: 400, done: 400 }, []]);
    expect(rig.unsentRows(world, 400)).toEqual([400]);
  });
});

describe('the number of rows', () => {
  it('is checked where it is given, with any key', async () => {
    const world = await rig.newWorld();
    const { code, stderr } = await world.bin(importing(rig.writePeople(world, 5), '--expect-count', '6'));
    expect([code, errorIn(stderr)]).toMatchObject([11, { code: 'count', message: 'the input has 5 rows, not 6' }]);
  });

  it('is wanted with a live key, for which no --yes stands in', async () => {
    const world = await rig.newWorld();
    world.sandbox.keys.goLive();
    const live = { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live };
    const argv = ['send-batch', 'welcome', rig.writePeople(world, 5), '-o', 'json', '--yes'];
    const refused = await world.bin(argv, live);
    expect([refused.code, errorIn(refused.stderr)]).toMatchObject([11, { hint: expect.stringContaining('-count 5') }]);
    expect([noteCodes(refused.stderr), world.sandbox.counts().messages]).toEqual([['live', 'simulated'], 0]);
    const { code } = await world.bin([...argv, '--expect-count', '5'], live);
    expect([code, world.sandbox.counts().messages]).toEqual([0, 5]);
  });
});

describe('what a run prints', () => {
  it('in NDJSON is an object a row, and the summary last', async () => {
    const world = await rig.newWorld();
    const file = write(world, 'people.csv', 'phone\n+12025550141\n12025550142\n');
    const { stdout } = await world.bin(['send-batch', 'welcome', file, '-o', 'ndjson']);
    const items = rig.objectsIn(stdout);
    const done = { type: 'row', row: 1, line: 2, outcome: 'done', answer: { message_id: expect.any(String) } };
    const failed = { type: 'row', row: 2, line: 3, outcome: 'failed', reason: expect.any(String) };
    expect(items.slice(0, -1)).toHaveLength(2);
    expect(items).toEqual(expect.arrayContaining([done, expect.objectContaining(failed)]));
    expect(items.at(-1)).toMatchObject({ type: 'summary', rows: 2, done: 1, failed: 1 });
  });

  it('in JSON is one object', async () => {
    const world = await rig.newWorld();
    const { stdout } = await world.bin(importing(rig.writePeople(world, 5)));
    expect(JSON.parse(stdout)).toMatchObject({ type: 'summary', rows: 5, done: 5 });
  });

  it('through a pipe has no escape code', async () => {
    const world = await rig.newWorld();
    const { stdout, stderr } = await world.bin(['contacts', 'import', rig.writePeople(world, 500)]);
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

it('contacts export gives what contacts import makes equal contacts of', async () => {
  const [one, other] = [await rig.newWorld(), await rig.newWorld()];
  const name = 'Ada "the\u2028first"\n';
  const json = ['--set-json', 'tags=["a","b,c"]', '--set-json', 'attributes={"n":1}'];
  await one.bin(['contacts', 'create', '--set', 'phone=+12025550141', '--set', `name=${name}`, ...json]);
  for (let page = 0; page < 3; page++) {
    const file = write(one, 'more.csv', `phone\n${rows(page)}`);
    await one.bin(importing(file));
  }
  const exported = await one.bin(['contacts', 'export', '-o', 'ndjson']);
  const { code } = await bin(['contacts', 'import', '-', '--format', 'ndjson'], { ...other, input: exported.stdout });
  expect([code, contactsOf(other)]).toEqual([0, contactsOf(one)]);
  expect(contactsOf(other)).toContainEqual(expect.objectContaining({ name, attributes: { n: 1 } }));
  expect(contactsOf(other).length).toBe(5 + 1 + 150);
});

function rows(page: number): string {
  return Array.from({ length: 50 }, (_, at) => `${rig.phoneOf(page * 50 + at)}\n`).join('');
}

/** But for what each sandbox gives of its own. */
function contactsOf({ sandbox }: World): readonly object[] {
  const own = sandbox.contacts().map(({ phone, name, tags, attributes }) => ({ phone, name, tags, attributes }));
  return own.toSorted((a, b) => a.phone.localeCompare(b.phone));
}
