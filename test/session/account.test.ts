import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accountFacts } from '../../src/session/ledger.ts';
import { prepareTarget } from '../../src/session/connect.ts';
import { callerInputs, resolve } from '../../src/session/profiles/resolve.ts';
import { defaultData, findSandbox, writeLocator } from '../../src/sandbox/remote/locator.ts';
import { alive } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';
import { posixOnly } from '../support/system.ts';
import { key, rig } from './run-client-rig.ts';

const service = 'https://api.example.com';

describe('the account facts of a key in the environment', () => {
  it.each([
    ['HTTPS://API.Example.com:443/eu/v2/', 'https://api.example.com'],
    ['https://api.example.com:8443', 'https://api.example.com:8443'],
    ['http://localhost:9/prefix', 'http://localhost:9'],
  ])('are the key and the origin: %s', async (url, origin) => {
    const { facts } = machine();
    expect(await facts({ env: calling(url) })).toEqual({ origin, key });
  });

  it('contain the name in BIZMSG_ACCOUNT, in one Unicode form', async () => {
    const { facts } = machine();
    for (const name of ['Café', 'Cafe\u0301', ' Café '])
      expect(await facts({ env: { ...calling(service), BIZMSG_ACCOUNT: name } })).toMatchObject({ named: 'Café' });
  });
});

describe('the account facts of a profile', () => {
  it('contain its id, and do not change the store', async () => {
    const { facts, write, untouched } = machine();
    write({ account: '0123456789ab' });
    const isUntouched = untouched();
    expect(await facts()).toEqual({ origin: service, key, profile: '0123456789ab' });
    expect(isUntouched()).toBe(true);
  });

  it('have no id if the profile has none, and do not change the store', async () => {
    const { facts, write, untouched } = machine();
    write({});
    const isUntouched = untouched();
    expect(await facts()).toEqual({ origin: service, key });
    expect(isUntouched()).toBe(true);
  });

  it('contain both the name and the id', async () => {
    const { facts, write } = machine();
    write({ account: '0123456789ab' });
    const env = { BIZMSG_ACCOUNT: 'acme' };
    expect(await facts({ env })).toMatchObject({ named: 'acme', profile: '0123456789ab' });
  });
});

describe('the account facts of a local sandbox', () => {
  it('contain its data id, at every address, until it is reset', async () => {
    const { facts, home, state } = machine();
    const sandbox = await serveLocal(home);
    const { url, port } = findSandbox(state, alive) ?? {};
    const own = { origin: url, key: sandbox.keys.sandbox, sandbox: sandbox.dataId() };
    expect(own.sandbox).toMatch(/^[0-9a-f]{12}$/);
    expect(await facts({ words: { profile: ['local'] } })).toEqual(own);
    const env = { BIZMSG_BASE_URL: `http://localhost:${port}/`, BIZMSG_API_KEY: sandbox.keys.sandbox };
    expect(await facts({ env })).toEqual(own);
    sandbox.reset('all');
    expect(await facts({ env })).toEqual({ ...own, sandbox: sandbox.dataId() });
    expect(sandbox.dataId()).not.toBe(own.sandbox);
  });

  it('do not need the id of a profile with its address', async () => {
    const { facts, home, state, write, untouched } = machine();
    const sandbox = await serveLocal(home);
    write({ baseUrl: findSandbox(state, alive)?.url, keys: { sandbox: sandbox.keys.sandbox } });
    const isUntouched = untouched();
    expect(await facts()).toMatchObject({ profile: undefined, sandbox: sandbox.dataId() });
    expect(isUntouched()).toBe(true);
  });

  it('are known to a dry run only while it runs', async () => {
    const { facts, home } = machine();
    const dry = { words: { profile: ['local'], dryRun: [''] } };
    expect(await facts(dry)).toBeUndefined();
    const sandbox = await serveLocal(home);
    expect(await facts(dry)).toMatchObject({ sandbox: sandbox.dataId() });
  });

  it('differ from those of another sandbox on the default port', async () => {
    const { facts, state } = machine();
    writeLocator(state, { ...locator(4780), data: null, dataId: '0123456789ab' });
    expect(await facts({ words: { profile: ['local'], dryRun: [''] } })).toBeUndefined();
  });

  it('contain no data id if an older version serves it', async () => {
    posixOnly('the network of a process is not known');
    const { facts, state } = machine();
    writeLocator(state, { ...locator(4780), data: defaultData(state) });
    const found = await facts({ words: { profile: ['local'] } });
    expect(found).toEqual({ origin: 'http://127.0.0.1:4780', key: 'sk_test_local-1' });
  });
});

const calling = (url: string) => ({ BIZMSG_API_KEY: key, BIZMSG_BASE_URL: url });

interface Command {
  readonly env?: Readonly<Record<string, string>>;
  readonly words?: Readonly<Record<string, readonly string[]>>;
}

function machine() {
  const home = newHome();
  const folder = join(home, '.config/bizmsg');
  const file = join(folder, 'profiles.json');
  return {
    home,
    folder,
    state: join(home, '.local/state/bizmsg'),
    facts: async ({ env = {}, words = {} }: Command = {}) => {
      const { context: session } = rig({ env, home, words });
      const caller = resolve(callerInputs(session));
      return accountFacts(session, await prepareTarget(session, caller));
    },
    /** Writes a store with one profile that has these fields, too. */
    write: (fields: object) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const acme = { baseUrl: service, mode: 'sandbox', keys: { sandbox: key }, ...fields };
      writeFileSync(file, JSON.stringify({ version: 1, current: 'acme', profiles: { acme } }));
    },
    untouched: () => {
      const look = () => JSON.stringify([readFileSync(file, 'utf8'), statSync(file).ino, statSync(folder).mode]);
      const before = look();
      return () => look() === before;
    },
  };
}

function locator(port: number) {
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    pid: process.pid,
    startedAt: 1,
    token: 'token',
    build: 'old',
    background: false,
    keys: { sandbox: 'sk_test_local-1', live: 'sk_live_local-1' },
  };
}
