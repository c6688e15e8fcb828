import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processStart } from '../../../src/base/liveness.ts';
import {
  defaultData,
  findSandbox,
  isHeld,
  liveLocators,
  type Locator,
  ownNetwork,
  removeLocator,
  writeLocator,
} from '../../../src/sandbox/remote/locator.ts';
import { modeOf, ownFile, ownFolder } from '../../support/system.ts';

const alive = () => true;
const dead = () => false;

describe('a locator', () => {
  it('is readable only by its owner, and written atomically', () => {
    const folder = temporary();
    writeLocator(folder, locator(4780, folder));
    const file = join(folder, 'sandboxes', '4780.json');
    expect([file, join(folder, 'sandboxes')].map((path) => modeOf(path))).toEqual([ownFile, ownFolder]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject(locator(4780, folder));
    expect(readdirSync(join(folder, 'sandboxes'))).toEqual(['4780.json']);
  });

  it('finds the sandbox of the default folder among others', () => {
    const folder = temporary();
    for (const [port, data] of [
      [4780, null],
      [4782, '/elsewhere'],
      [4783, defaultData(folder)],
    ] as const) {
      writeLocator(folder, { ...locator(port, folder), data });
    }
    expect(findSandbox(folder, alive)?.port).toBe(4783);
    expect(findSandbox(folder, alive, '/elsewhere')?.port).toBe(4782);
    expect(liveLocators(folder, alive)).toHaveLength(3);
  });

  it('of a dead owner is skipped and removed', () => {
    const folder = temporary();
    writeLocator(folder, locator(4780, folder));
    expect(liveLocators(folder, dead)).toEqual([]);
    expect(readdirSync(join(folder, 'sandboxes'))).toEqual([]);
  });

  it('whose pid belongs to another process now is skipped', () => {
    const folder = temporary();
    writeLocator(folder, locator(4780, folder));
    const file = join(folder, 'sandboxes', '4780.json');
    writeFileSync(file, JSON.stringify({ ...locator(4780, folder), start: '1' }));
    expect(findSandbox(folder, alive)).toBeUndefined();
  });

  it.each(['', '{', 'null', '[]', '{"port":4780}', '{"port":"4780","pid":1}'])(
    'with the content %s is ignored',
    (text) => {
      const folder = temporary();
      writeLocator(folder, locator(4782, folder));
      writeFileSync(join(folder, 'sandboxes', '4780.json'), text);
      expect(liveLocators(folder, alive).map(({ port }) => port)).toEqual([4782]);
    },
  );

  it('is not removed by the first sandbox if another sandbox has taken its port', () => {
    const folder = temporary();
    writeLocator(folder, { ...locator(4780, folder), token: 'the second' });
    removeLocator(folder, { port: 4780, token: 'the first' });
    expect(liveLocators(folder, alive)).toHaveLength(1);
    removeLocator(folder, { port: 4780, token: 'the second' });
    expect(liveLocators(folder, alive)).toEqual([]);
  });

  it('does not exist if no sandbox ever ran', () => {
    expect(liveLocators(join(temporary(), 'none'), alive)).toEqual([]);
  });
});

function locator(port: number, folder: string): Locator {
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    pid: process.pid,
    startedAt: 1,
    token: 'token',
    build: 'b1',
    data: defaultData(folder),
    background: true,
    keys: { sandbox: 'sk_test_local-1', live: 'sk_live_local-1' },
  };
}

function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'bizmsg-locator-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

it.skipIf(ownNetwork() === undefined)('needs no proof of a process that can be seen in the same network', () => {
  expect(isHeld({ start: processStart(process.pid), network: ownNetwork() })).toBe(true);
  expect(isHeld({ start: processStart(process.pid), network: 'net:[1]' })).toBe(false);
});

it('needs proof of a process in another container, even in the same network', () => {
  expect(isHeld({ start: '12345@boot.namespace.host-b', network: ownNetwork() })).toBe(false);
});
