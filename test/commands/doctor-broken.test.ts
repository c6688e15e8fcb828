import { chmodSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deadPort, serveProxy } from '../client/servers.ts';
import type { CliOptions } from '../support/cli.ts';
import { callerOf, newHome, testKey } from '../support/fake-service.ts';
import { openWorld, type World } from '../support/world.ts';
import { examined, secureService, storeAcme, storeText } from './doctor-rig.ts';

interface SetUp extends CliOptions {
  /** The check that finds the problem. */
  readonly check: string;
  readonly exit: number;
  readonly status: 'fail' | 'warn';
  /** Part of the printed fix. */
  readonly remedy: string;
  readonly calls: number;
}

type Broken = Omit<SetUp, keyof CliOptions>;
const refused = { check: 'contacts', exit: 4, status: 'fail', remedy: 'bizmsg sandbox keys list', calls: 1 } as const;
const limited = { exit: 0, status: 'warn', remedy: 'fine for a key that only sends', calls: 3 } as const;

/** A sandbox that is called with this key. */
async function calledWith(choose: (world: World) => string, found: Broken): Promise<SetUp> {
  const world = await openWorld();
  onTestFinished(() => world.close());
  return { home: world.home, env: callerOf(world.url, choose(world)), ...found };
}

const setUps: Readonly<Record<string, () => Promise<SetUp>>> = {
  'a wrong key': () => calledWith(() => 'sk_test_local-0123456789abcdef', refused),
  'a revoked key': () =>
    calledWith(({ sandbox }) => {
      const { text } = sandbox.keys.create('full');
      sandbox.keys.revoke(text);
      return text;
    }, refused),
  'a send-only key': () =>
    calledWith(({ sandbox }) => sandbox.keys.create('send-only').text, { ...limited, check: 'templates' }),
  'a dead address': async () => {
    const home = newHome();
    storeAcme(home, { baseUrl: `https://127.0.0.1:${await deadPort()}`, key: testKey });
    return { home, check: 'connection', exit: 9, status: 'fail', remedy: 'bizmsg sandbox start', calls: 0 };
  },
  'a self-signed certificate': async () => {
    const home = newHome();
    storeAcme(home, { baseUrl: `https://127.0.0.1:${(await secureService()).port}`, key: testKey });
    return { home, check: 'certificate', exit: 9, status: 'fail', remedy: '--ca-file FILE', calls: 0 };
  },
  'an open file mode': async () => {
    const home = newHome();
    const path = storeAcme(home, { baseUrl: 'https://127.0.0.1:1', key: testKey });
    chmodSync(path, 0o644);
    return { home, check: 'config', exit: 3, status: 'fail', remedy: `chmod 600 ${path}`, calls: 0 };
  },
  'a damaged store': async () => {
    const home = newHome();
    storeText(home, `{"version":1,"profiles":{"acme":"${testKey}`);
    return { home, check: 'store', exit: 3, status: 'fail', remedy: 'repair it, or move it away', calls: 0 };
  },
  'a proxy that refuses': async () => {
    const home = newHome();
    storeAcme(home, { baseUrl: 'https://api.bizmsg.test', key: testKey });
    const { url } = await serveProxy(0, 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
    const remedy = 'check HTTPS_PROXY, or bypass it with NO_PROXY=api.bizmsg.test';
    return { home, env: { HTTPS_PROXY: url }, check: 'proxy', exit: 9, status: 'fail', remedy, calls: 0 };
  },
};

describe('doctor', () => {
  it.each(Object.keys(setUps))('finds %s, and prints the fix', async (name) => {
    const setUp = await setUps[name]?.();
    if (!setUp) throw new Error(name);
    const { code, calls, checks, wrong } = await examined(setUp);
    const { status, remedy, check, exit } = setUp;
    expect(checks[check]).toMatchObject({ status, remedy: expect.stringContaining(remedy) });
    expect([code, calls]).toEqual([exit, setUp.calls]);
    expect(wrong).toContain(check);
  });

  it.each(['full', 'read-only'] as const)('finds no problem with a %s key', async (scope) => {
    const found = await calledWith(({ sandbox }) => sandbox.keys.create(scope).text, { ...limited, check: '' });
    const { code, calls, checks, wrong } = await examined(found);
    expect([code, calls, wrong]).toEqual([0, 3, []]);
    expect(checks['clock']).toMatchObject({ status: 'pass' });
  });
});
