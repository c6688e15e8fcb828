import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { World } from '../support/world.ts';
import { openWorld } from '../support/world.ts';

let here: World;
let there: World;
beforeEach(async () => {
  [here, there] = await Promise.all([openWorld(), openWorld()]);
  const words = ['--set', 'phone=+12025550149', '--set', 'name=O"Neil, Ada\n2', '--set-json', 'tags=["a,b","\\"c\\""]'];
  await here.run(['contacts', 'create', ...words, '--set-json', 'attributes={"city":{"name":"Oslo"},"n":7}']);
  await here.run(['contacts', 'create', '--set', 'phone=+12025550148', '--set', 'name=[Alan]']);
});
afterEach(async () => void (await Promise.all([here.close(), there.close()])));

/** All but what the service makes itself. */
const contents = ({ sandbox }: World) => sandbox.contacts().map(({ id: _id, created_at: _at, ...fields }) => fields);

const made = ['--drop', 'id', '--drop', 'created_at'];
const asJson = ['--parse-json', 'tags', '--parse-json', 'attributes'];

async function moved(format: string, ...words: readonly string[]) {
  const { stdout } = await here.run(['contacts', 'export', '-o', format]);
  const path = join(there.home, `people.${format}`);
  writeFileSync(path, stdout);
  return there.run(['contacts', 'import', path, ...made, ...words]);
}

it.each([
  ['csv', asJson],
  ['ndjson', []],
])('imports elsewhere what was exported as %s', async (format, words) => {
  const { code, stderr } = await moved(format, ...words);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('JSON')]);
  expect(contents(there)).toEqual(contents(here));
  expect(contents(there).slice(5)).toMatchObject([{ tags: ['a,b', '"c"'], attributes: { n: 7 } }, { tags: [] }]);
});

it('says of a CSV with JSON in it how that is sent, in a rehearsal and in an import', async () => {
  const note =
    'note: JSON in tags, attributes is sent as text; to send its value: --parse-json tags --parse-json attributes';
  expect((await moved('csv', '--dry-run')).stderr).toContain(note);
  expect((await moved('csv', '--split', 'tags')).stderr).toContain('JSON in attributes is sent as text');
});

it('lists a cell that is not JSON among the failed rows, with the reason', async () => {
  const path = join(there.home, 'people.csv');
  writeFileSync(path, 'phone,tags\n+12025550141,vip\n+12025550142,"[""vip""]"\n+12025550143,\n');
  const { code, stdout } = await there.run(['contacts', 'import', path, '--parse-json', 'tags']);
  expect([code, stdout]).toEqual([10, expect.stringMatching(/tags: ".+" is not JSON/)]);
  expect(there.sandbox.contacts().slice(5)).toMatchObject([{ phone: '+12025550142', tags: ['vip'] }, { tags: [] }]);
});
