import { expect, it } from 'vitest';
import { isOrphaned } from '../../../src/sandbox/events/webhooks.ts';

const [url, elsewhere] = ['http://127.0.0.1:4781/', 'http://127.0.0.1:4782/'];
const [dead, live] = [{ pid: 1 }, { pid: 2 }];
const kill = (pid: number) => pid === live.pid;

it.each([
  ['without an owner is not', { url }, undefined, false],
  ['of a live process is not', { url, owner: live }, { url }, false],
  ['of a dead process is', { url, owner: dead }, undefined, true],
  ['of a dead listener is not, since it may restart', { url, owner: { ...dead, returns: true } }, undefined, false],
  [
    'of a dead listener is not if it restarts',
    { url, owner: { ...dead, returns: true } },
    { url, owner: { ...live, returns: true } },
    false,
  ],
  [
    'of a dead listener is if another process takes its port',
    { url, owner: { ...dead, returns: true } },
    { url: `${url}x`, owner: live },
    true,
  ],
  [
    'of a dead listener is not if another process takes another port',
    { url, owner: { ...dead, returns: true } },
    { url: elsewhere, owner: live },
    false,
  ],
])('a webhook %s abandoned', (_, webhook, next, expected) => {
  expect(isOrphaned(webhook, kill, next)).toBe(expected);
});
