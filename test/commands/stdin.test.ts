import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { newWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => void (world = await newWorld()));

const rows = (...phones: readonly string[]) => phones.map((to) => `{"to":"${to}"}\n`).join('');
const [ada, alan, grace, joan] = ['+12025550141', '+12025550142', '+12025550144', '+12025550145'];

/** Sends the rows of stdin, and returns who got a message. */
async function batch(stdin: string, ...more: readonly string[]) {
  const before = world.sandbox.messages().length;
  const ran = await world.run(['send-batch', 'welcome', '-', ...more, '-o', 'json'], { stdin });
  const to = world.sandbox.messages().slice(before).map((message) => message.to); // prettier-ignore
  return { ...ran, to, result: JSON.parse(ran.stdout === '' ? '{}' : ran.stdout) };
}

it('goes on with the rows that are piped in again, in any order and with new ones', async () => {
  await batch(rows(ada, alan, grace), '--first', '2');
  const { code, to, result } = await batch(rows(joan, grace, alan, ada));
  expect([code, to, result]).toMatchObject([0, [grace, joan], { batch: 'stdin', file: null, rows: 4, sent: 4 }]);
});

it('leaves no file besides the record', async () => {
  await batch(rows(ada));
  world.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'status', status: 401 }, times: 1 });
  expect((await batch(rows(alan, grace))).code).toBe(4);
  await batch(rows(joan), '--dry-run');
  const state = readdirSync(join(world.home, '.local/state/bizmsg'), { recursive: true, encoding: 'utf8' });
  expect(state.filter((name) => /stdin|ndjson|csv|runs/.test(name))).toEqual([]);
  expect(readdirSync(world.home)).toEqual(['.local']);
});
