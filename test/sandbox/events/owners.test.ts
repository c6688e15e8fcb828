import { expect, it } from 'vitest';
import { isOrphaned } from '../../../src/sandbox/events/webhooks.ts';

const [url, elsewhere] = ['http://127.0.0.1:4781/', 'http://127.0.0.1:4782/'];
const [dead, live] = [{ pid: 1 }, { pid: 2 }];
const kill = (pid: number) => pid === live.pid;

it.each([
  ['without an owner is not', { url }, undefined, false],
  ['of one that lives is not', { url, owner: live }, { url }, false],
  ['of one that is dead is', { url, owner: dead }, undefined, true],
  [
    'of a listener that is dead is not, since it may be started again',
    { url, owner: { ...dead, returns: true } },
    undefined,
    false,
  ],
  [
    'of it is not when it is',
    { url, owner: { ...dead, returns: true } },
    { url, owner: { ...live, returns: true } },
    false,
  ],
  [
    'of it is when another takes its port',
    { url, owner: { ...dead, returns: true } },
    { url: `${url}x`, owner: live },
    true,
  ],
  [
    'of it is not when another takes another port',
    { url, owner: { ...dead, returns: true } },
    { url: elsewhere, owner: live },
    false,
  ],
])('a webhook %s forsaken', (_, webhook, next, expected) => {
  expect(isOrphaned(webhook, kill, next)).toBe(expected);
});
