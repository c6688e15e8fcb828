import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bin } from '../support/bin.ts';
import { errorIn, noteCodes } from '../support/json-lines.ts';
import { modeOf, ownFile, ownFolder } from '../support/system.ts';
import type { World } from '../support/world.ts';
import * as rig from './import-rig.ts';

function write({ home }: World, name: string, text: string): string {
  const file = join(home, name);
  writeFileSync(file, text);
  return file;
}

const importing = (file: string, ...more: readonly string[]) => ['contacts', 'import', file, '-o', 'json', ...more];
const reason = 'phone: "12025550142" is not a phone number; --country intl reads it as +12025550142';
const inJson = (place: string) => JSON.stringify(`${reason} (${place})`);

describe('rejected rows', () => {
  it.each([
    [
      'csv',
      'phone;name\n+12025550141;Ada\n12025550142;"Alan; M."\n',
      `phone;name;bizmsg_error\n12025550142;"Alan; M.";"${reason.replaceAll('"', '""')} (line 3)"\n`,
    ],
    [
      'ndjson',
      '{"phone":"+12025550141"}\n{"phone":"12025550142","tags":["a"]}\n',
      `{"phone":"12025550142","tags":["a"],"bizmsg_error":${inJson('line 2')}}\n`,
    ],
    [
      'json',
      '[{"phone":"+12025550141"},\n{"phone":"12025550142","tags":["a"]}]',
      `[\n{"phone":"12025550142","tags":["a"],"bizmsg_error":${inJson('record 2')}}\n]\n`,
    ],
  ])('are written to a file, in %s like the input, and can be fixed and imported', async (format, text, rejected) => {
    const world = await rig.newWorld();
    const { code, stdout } = await world.run(importing(write(world, `people.${format}`, text)));
    const failed = join(world.home, `people.failed.${format}`);
    const summary = { sent: 1, failed: 1, files: { failed, unsure: null } };
    expect([code, rig.summaryIn(stdout), modeOf(failed)]).toMatchObject([10, summary, ownFile]);
    expect(readFileSync(failed, 'utf8')).toBe(rejected);
    writeFileSync(failed, rejected.replace('12025550142', '+12025550142'));
    const imported = await world.run(importing(failed));
    expect([imported.code, rig.summaryIn(imported.stdout)]).toMatchObject([0, { rows: 1, sent: 1 }]);
    expect(world.sandbox.contacts().map(({ phone }) => phone)).toContain('+12025550142');
  });

  it('are written to a second file if they may have been sent, and can be sent again', async () => {
    const world = await rig.newWorld();
    rig.addFault(world.sandbox, { kind: 'reset' }, { after: true, times: 1 });
    const file = write(world, 'people.csv', 'phone\n+12025550141\n12025550142\n');
    const argv = ['send-batch', 'welcome', file, '-o', 'json', '--concurrency', '1'];
    const { code, stdout } = await world.run(argv);
    const unsure = join(world.home, 'people.unsure.csv');
    const summary = { sent: 0, failed: 1, unsure: 1, files: { unsure } };
    expect([code, rig.summaryIn(stdout), modeOf(unsure)]).toMatchObject([10, summary, ownFile]);
    expect(rig.linesOf(unsure)).toEqual([
      'phone,bizmsg_error',
      expect.stringMatching(/^\+12025550141,.*connection .* broke.*\(line 2\)/),
    ]);
    expect(rig.linesOf(join(world.home, 'people.failed.csv'))).toHaveLength(2);
    const again = await world.run(['send-batch', 'welcome', file, '--retry-unsure', '-o', 'json']);
    expect([again.code, world.sandbox.messages().map(({ to }) => to)]).toEqual([10, ['+12025550141', '+12025550141']]);
    expect(existsSync(unsure)).toBe(false);
    expect(rig.linesOf(join(world.home, 'people.unsure.done.csv'))).toHaveLength(2);
  });
});

it('creates all files of a run readable only by this user', async () => {
  const world = await rig.newWorld();
  await world.run(importing(write(world, 'people.csv', 'phone\n+12025550141\n12025550142\n')));
  const state = join(world.home, '.local/state/bizmsg');
  const below = readdirSync(state, { recursive: true, encoding: 'utf8' }).map((name) => join(state, name));
  const modes = below.map((path) => [modeOf(path), statSync(path).isDirectory()]);
  expect(modes.length).toBeGreaterThan(4);
  expect(modes.filter(([bits, isFolder]) => bits !== (isFolder ? ownFolder : ownFile))).toEqual([]);
});

describe('the number of rows', () => {
  it('is not exceeded, with any key', async () => {
    const world = await rig.newWorld();
    const { code, stderr } = await world.run(importing(rig.writePeople(world, 5), '--at-most', '4'));
    expect([code, errorIn(stderr)]).toMatchObject([11, { code: 'too-many-rows' }]);
  });

  it('is required with a live key, and --yes does not replace it', async () => {
    const world = await rig.newWorld();
    world.sandbox.keys.goLive();
    const live = { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live };
    const argv = ['send-batch', 'welcome', rig.writePeople(world, 5), '-o', 'json', '--yes'];
    const refused = await world.run(argv, { env: live });
    expect([refused.code, errorIn(refused.stderr)]).toMatchObject([
      11,
      { code: 'count-missing', hint: expect.stringContaining('--at-most 5') },
    ]);
    expect([noteCodes(refused.stderr), world.sandbox.counts().messages]).toEqual([['live'], 0]);
    const { code } = await world.run([...argv, '--at-most', '5'], { env: live });
    expect([code, world.sandbox.counts().messages]).toEqual([0, 5]);
  });
});

describe('the output of a run', () => {
  it('in NDJSON is one object per row, and the summary last', async () => {
    const world = await rig.newWorld();
    const file = write(world, 'people.csv', 'phone\n+12025550141\n12025550142\n');
    const { stdout } = await world.run(['send-batch', 'welcome', file, '-o', 'ndjson']);
    const items = rig.objectsIn(stdout);
    const done = { type: 'row', row: 1, line: 2, outcome: 'sent', answer: { message_id: expect.any(String) } };
    const failed = { type: 'row', row: 2, line: 3, outcome: 'failed', reason: expect.any(String) };
    expect(items.slice(0, -1)).toHaveLength(2);
    expect(items).toEqual(expect.arrayContaining([done, expect.objectContaining(failed)]));
    expect(items.at(-1)).toMatchObject({ type: 'summary', rows: 2, sent: 1, failed: 1 });
  });

  it('in JSON is one object', async () => {
    const world = await rig.newWorld();
    const { stdout } = await world.run(importing(rig.writePeople(world, 5)));
    expect(JSON.parse(stdout)).toMatchObject({ type: 'summary', rows: 5, sent: 5 });
  });

  it('in a pipe contains no escape codes', async () => {
    const world = await rig.newWorld();
    const { stdout, stderr } = await world.run(['contacts', 'import', rig.writePeople(world, 500)]);
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

it('contacts export and contacts import reproduce equal contacts', async () => {
  const [one, other] = [await rig.newWorld(), await rig.newWorld()];
  const name = 'Ada "the\u2028first"\n';
  const json = ['--set-json', 'tags=["a","b,c"]', '--set-json', 'attributes={"n":1}'];
  await one.bin(['contacts', 'create', '--set', 'phone=+12025550141', '--set', `name=${name}`, ...json]);
  await one.bin(importing(rig.writePeople(one, 150, 'more.csv')));
  const exported = await one.bin(['contacts', 'export', '-o', 'ndjson']);
  const { code } = await bin(['contacts', 'import', '-'], { ...other, input: exported.stdout });
  expect([code, contactsOf(other)]).toEqual([0, contactsOf(one)]);
  expect(contactsOf(other)).toContainEqual(expect.objectContaining({ name, attributes: { n: 1 } }));
  expect(contactsOf(other).length).toBe(5 + 1 + 150);
});

/** Removes the fields that each sandbox generates. */
function contactsOf({ sandbox }: World): readonly object[] {
  const own = sandbox.contacts().map(({ phone, name, tags, attributes }) => ({ phone, name, tags, attributes }));
  return own.toSorted((a, b) => a.phone.localeCompare(b.phone));
}
