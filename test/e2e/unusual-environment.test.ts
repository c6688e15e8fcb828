import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { programText, run } from '../support/bin.ts';
import { posixOnly } from '../support/system.ts';
import { newWorld, type World } from '../support/world.ts';

posixOnly('they run a POSIX shell');

let world: World;
beforeEach(async () => {
  world = await newWorld();
});

const shell = (script: string, { home = world.home, env = world.env, input = '' } = {}) =>
  run(['bash', '-c', script], { home, env, cwd: world.home, input });
const send = `${programText} send-template +12025550101 welcome`;
const recipients = () => world.sandbox.messages().map(({ to }) => to);

describe('an unusual environment', () => {
  it.each([
    ['whose stderr is full', `${send} 2> /dev/full`],
    ['whose stderr is closed', `${send} 2>&-`],
    ['whose stderr has no reader', `{ ${send} 2>&1 >&3 | true; } 3>&1`],
    ['whose stdin is closed', `${send} <&-`],
    ['whose disk is full', `ulimit -f 0; ${send}`],
  ])('does not prevent a send %s', async (_, script) => {
    const { stdout } = await shell(script);
    expect(stdout).toBe(`${world.sandbox.messages()[0]?.id}\n`);
  });

  it.each(['', 'relative'])('starts the sandbox on demand with HOME="%s"', async (HOME) => {
    const state = join(world.home, 'st äö 名 dir');
    const options = { home: HOME, env: { BIZMSG_STATE_DIR: state } };
    const sent = await shell(`${send} --profile local`, options);
    const stopped = await shell(`${programText} sandbox stop`, options);
    expect([sent.code, stopped.stdout]).toEqual([0, expect.stringMatching(/^Stopped http/)]);
    expect(readdirSync(state)).toContain('sandboxes');
  });

  it.each(['contacts list', 'contacts list -o json', 'templates show welcome', 'help send-batch', '--help', 'whoami'])(
    'a terminal whose width is 0 shows %s as one of 80 columns',
    async (line) => {
      const [none, usual] = [0, 80].map((terminal) => world.run(line.split(' '), { terminal }));
      expect(await none).toEqual({ ...(await usual), code: 0 });
    },
  );
});

describe('stdin', () => {
  it('is not read by a send, so a while read loop sends to every line', async () => {
    const phones = ['+12025550101', '+12025550102', '+12025550103'];
    const input = phones.map((phone) => `${phone}\n`).join('');
    const line = `while read -r phone; do ${programText} send-template "$phone" order_update -p Ada -p 1; done`;
    expect((await shell(line, { input })).code).toBe(0);
    expect(recipients()).toEqual(phones);
  });

  it.each([
    ['a list that comes late', `sleep 0.3; printf '+12025550141\n'`],
    ['a table', `printf 'name,phone\nAda,+12025550141\n'`],
  ])('can be a process substitution with excluded phones: %s', async (_, script) => {
    writeFileSync(join(world.home, 'people.csv'), 'phone\n+12025550141\n+12025550142\n');
    const line = `${programText} send-batch welcome people.csv --dry-run -o json --exclude-from <(${script})`;
    const { stdout, code } = await shell(line);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { to_send: 1, not_sent: 1 }]);
  });
});
