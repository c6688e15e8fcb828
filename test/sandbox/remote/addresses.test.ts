import { expect, it } from 'vitest';
import { processStart } from '../../../src/base/liveness.ts';
import { isHeld, ownNetwork } from '../../../src/sandbox/remote/locator.ts';

it.skipIf(ownNetwork() === undefined)('needs no proof of a process that can be seen in the same network', () => {
  expect(isHeld({ start: processStart(process.pid), network: ownNetwork() })).toBe(true);
  expect(isHeld({ start: processStart(process.pid), network: 'net:[1]' })).toBe(false);
});

it('needs proof of a process in another container, even in the same network', () => {
  expect(isHeld({ start: '12345@boot.namespace.host-b', network: ownNetwork() })).toBe(false);
});
