import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { heartbeatInterval } from '../../src/base/liveness.ts';
import { announceListener, liveListeners } from '../../src/webhooks/listeners.ts';
import { alive } from '../support/cli.ts';
import { modeOf, ownFile } from '../support/system.ts';
import { manualTimers } from '../support/timers.ts';
import { temporary } from './rig.ts';

const locator = { id: 'a1b2c3d4e5f6', url: 'http://127.0.0.1:4781/', port: 4781, pid: process.pid, startedAt: 1 };

it('is found until it is withdrawn, and readable only by the user', () => {
  const folder = temporary();
  const withdraw = announceListener(folder, locator);
  expect(liveListeners(folder, alive)).toMatchObject([locator]);
  const [name = ''] = readdirSync(join(folder, 'listeners'));
  expect(modeOf(join(folder, 'listeners', name))).toBe(ownFile);
  withdraw();
  expect(liveListeners(folder, alive)).toEqual([]);
});

it('is removed when its process is dead, unless it cannot be read', () => {
  const folder = temporary();
  announceListener(folder, locator);
  writeFileSync(join(folder, 'listeners', '1-2.json'), '{');
  expect(liveListeners(folder, () => false)).toEqual([]);
  expect(readdirSync(join(folder, 'listeners'))).toEqual(['1-2.json']);
});

it('is found again after its file was removed, until it is withdrawn', () => {
  const folder = temporary();
  const timers = manualTimers();
  const withdraw = announceListener(folder, locator, timers.later);
  for (const name of readdirSync(join(folder, 'listeners'))) rmSync(join(folder, 'listeners', name));
  expect(liveListeners(folder, alive)).toEqual([]);
  timers.fire(heartbeatInterval);
  expect(liveListeners(folder, alive)).toMatchObject([locator]);
  withdraw();
  expect(timers.armed.size).toBe(0);
  expect(liveListeners(folder, alive)).toEqual([]);
});

it('is separate for each container, even with the same port and process id', () => {
  const folder = temporary();
  const withdraw = [announceListener(folder, locator), announceListener(folder, { ...locator, id: 'f6e5d4c3b2a1' })];
  expect(liveListeners(folder, alive)).toHaveLength(2);
  withdraw[0]?.();
  expect(liveListeners(folder, alive)).toHaveLength(1);
});

it('is not found if the folder does not exist', () => {
  expect(liveListeners(join(temporary(), 'none'), alive)).toEqual([]);
});
