import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alive } from '../support/cli.ts';
import * as rig from './import-rig.ts';

/** Kills the process before it gives a draft its name, or removes it. */
const preload = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
for (const name of ['renameSync', 'linkSync', 'rmSync']) {
  const real = fs[name];
  fs[name] = (...words) => {
    if (new RegExp(process.env.KILL_AT).test([name, words[0], words[1]].join(' '))) {
      process.kill(process.pid, 'SIGKILL');
      for (;;);
    }
    return real(...words);
  };
}
syncBuiltinESMExports();
`;

const key = 'sk_live_7Rw1Kc5NbY6uJe0SqMvA';
const rows = 'phone\n12\n+12025550141\n';
const add = 'login --no-check --base-url https://api.example.com --key-stdin --profile';
const listen = 'webhooks listen --port 0';

interface Case {
  readonly at: string;
  readonly line: string;
  readonly input?: string;
  /** Its draft has this. */
  readonly holds: string;
  /** The next command, unless it is the same one. */
  readonly next?: string;
}

const cases: Readonly<Record<string, Case>> = {
  'the file of failed rows': { at: 'linkSync.*failed.csv', line: 'contacts import people.csv', holds: '\n12,' },
  'the copy of stdin': { at: 'rmSync.*/runs/', line: 'contacts import -', input: rows, holds: '+12025550141' },
  'the secret of the ledger': { at: 'linkSync.*ledger.secret', line: 'contacts import people.csv', holds: '' },
  'a copy of the secret': { at: 'rmSync.*/bizmsg/[.]bizmsg-', line: 'contacts import people.csv', holds: '' },
  'the profiles': { at: 'renameSync.*profiles.json', line: `${add} a`, input: key, holds: key, next: `${add} b` },
  "a sandbox's address": {
    at: 'renameSync.*/sandboxes/',
    line: 'sandbox start --port 0',
    holds: 'sk_live_local-',
  },
  "a listener's address": { at: 'renameSync.*/listeners/', line: listen, holds: '"port"' },
  'the lock of a sandbox': { at: 'linkSync.*/lock', line: 'sandbox start --port 0', holds: '' },
};

const draftsIn = (home: string) =>
  readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.new$|tmp-/.test(name))
    .map((name) => join(home, name));

/** Starts a command in the home, and resolves once it has ended or is ready. */
async function ran({ home, env }: rig.Place, line: string, input: string, more: Readonly<Record<string, string>> = {}) {
  const running = rig.start({ home, env: { ...env, ...more } }, line.split(' '), input, home);
  let isOver = false;
  void running.ended.then(() => (isOver = true));
  await expect.poll(() => isOver || /ready/i.test(running.stdout()), { timeout: 10_000 }).toBe(true);
  alive(running.pid, 'SIGINT');
  await running.ended;
}

describe('kill -9 leaves a draft, which the next command that writes there removes:', () => {
  it.each(Object.entries(cases))('%s', async (_, { at, line, input = '', holds, next = line }) => {
    const world = await rig.newWorld();
    const place = { home: world.home, env: at.includes('profiles') ? {} : world.env };
    const script = join(world.home, 'kill.mjs');
    writeFileSync(script, preload);
    writeFileSync(join(world.home, 'people.csv'), rows);
    await ran(place, line, input, { NODE_OPTIONS: `--import=${script}`, KILL_AT: at });
    const left = draftsIn(world.home);
    expect(left.map((path) => readFileSync(path, 'utf8'))).toContainEqual(expect.stringContaining(holds));
    // A dead process has it for ten seconds.
    rmSync(join(world.home, '.config/bizmsg/profiles.lock'), { recursive: true, force: true });
    await ran(place, next, input);
    expect(draftsIn(world.home)).toEqual([]);
  });
});
