import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  defaultData,
  leadsTo,
  type Locator,
  locatorFolder,
  locatorsIn,
  removeLocator,
  writeLocator,
} from '../../../src/sandbox/remote/locator.ts';
import { modeOf, ownFile, ownFolder } from '../../support/system.ts';

const locator: Locator = {
  port: 4780,
  url: 'http://127.0.0.1:4780',
  loopback: 'both',
  pid: 1,
  token: 'token',
  build: 'b1',
  data: null,
  background: true,
  words: ['--plan=starter'],
  keys: { sandbox: 'sk_test_local-1', live: 'sk_live_local-1' },
};

it('is readable only by its owner, and written atomically', () => {
  const folder = temporary();
  writeLocator(folder, locator);
  const sandboxes = join(folder, 'sandboxes');
  expect([join(sandboxes, '4780.json'), sandboxes].map((path) => modeOf(path))).toEqual([ownFile, ownFolder]);
  expect([readdirSync(sandboxes), locatorsIn(folder)]).toEqual([['4780.json'], [locator]]);
});

it('replaces that of a killed sandbox with the same data', () => {
  const folder = temporary();
  const data = defaultData(folder);
  for (const [port, folderOf] of [
    [4780, data],
    [4781, null],
    [4782, '/elsewhere'],
    [4783, data],
  ] as const)
    writeLocator(folder, { ...locator, port, data: folderOf });
  expect(locatorsIn(folder).map(({ port }) => port)).toEqual([4781, 4782, 4783]);
});

it.each(['', '{', 'null', '[]', '{"port":4780}', '{"port":"4780","pid":1}'])(
  'with the content %s is ignored',
  (text) => {
    const folder = temporary();
    writeLocator(folder, { ...locator, port: 4782 });
    writeFileSync(join(folder, 'sandboxes', '4780.json'), text);
    expect(locatorsIn(folder).map(({ port }) => port)).toEqual([4782]);
  },
);

it('is not removed by the first sandbox if another sandbox has taken its port', () => {
  const folder = temporary();
  writeLocator(folder, { ...locator, token: 'the second' });
  removeLocator(folder, { port: 4780, token: 'the first' });
  expect(locatorsIn(folder)).toHaveLength(1);
  removeLocator(folder, { port: 4780, token: 'the second' });
  expect(locatorsIn(folder)).toEqual([]);
});

it.each([
  ['http://127.0.0.1:4780', 'ipv4', true],
  ['http://localhost:4780/x', 'ipv4', true],
  ['http://[::1]:4780', 'both', true],
  ['http://[::1]:4780', 'ipv4', false],
  ['http://127.0.0.1:4781', 'both', false],
  ['https://127.0.0.1:4780', 'both', false],
] as const)('%s leads to a sandbox with the loopback addresses %s: %s', (url, loopback, leads) => {
  expect(leadsTo({ ...locator, loopback }, url)).toBe(leads);
});

function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'bizmsg-locator-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  mkdirSync(path, { recursive: true });
  locatorFolder(path);
  return path;
}
