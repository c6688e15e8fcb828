import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { execa } from 'execa';
import { programText } from '../support/bin.ts';
import { posixOnly } from '../support/system.ts';
import { openWorld, type World } from '../support/world.ts';

posixOnly('they run a POSIX shell');

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it('sends to every line of a while read loop, because it does not read stdin', async () => {
  const script = `while read -r phone; do ${programText} send-template "$phone" order_update -p Ada -p 1; done`;
  const { stdout } = await execa('sh', ['-c', script], {
    env: world.binEnv,
    extendEnv: false,
    input: '+12025550101\n+12025550102\n+12025550103\n',
  });
  expect(stdout.split('\n')).toHaveLength(3);
  expect(world.sandbox.messages().map(({ to }) => to)).toEqual(['+12025550101', '+12025550102', '+12025550103']);
});

it.each([
  ['a list that comes late', `sleep 0.3; printf '+12025550141\n'`],
  ['a table', `printf 'name,phone\nAda,+12025550141\n'`],
])('reads excluded phones from a process substitution: %s', async (_, script) => {
  writeFileSync(join(world.home, 'people.csv'), 'phone\n+12025550141\n+12025550142\n');
  const line = `${programText} send-batch welcome people.csv --dry-run -o json --exclude-from <(${script})`;
  const options = { env: world.binEnv, extendEnv: false, reject: false, cwd: world.home } as const;
  const { stdout, exitCode } = await execa('bash', ['-c', line], options);
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { to_send: 1, not_sent: 1 }]);
});
