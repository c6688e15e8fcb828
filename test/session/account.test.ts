import { describe, expect, it } from 'vitest';
import { access } from '../commands/access-rig.ts';
import { liveKey } from '../commands/profile-store.ts';
import { openHostile } from '../support/fake-service.ts';

const otherKey = 'sk_live_9Tz4Xb2VmQ8pLd6K';
const send = 'send-template +12025550141 welcome -o json';

/** A machine with a service that accepts every message. */
async function machine() {
  const { home, url } = await openHostile((_, __, response) => response.end('{"message_id":"msg_1"}'));
  const { run, ...rest } = access(home);
  return {
    ...rest,
    run,
    url,
    /** Adds a profile whose live key is used. */
    add: async (words: string, key = liveKey, address = url) => {
      const login = `login --no-check --key-stdin --yes --base-url ${address} --profile ${words}`;
      expect((await run(login, key)).code).toBe(0);
    },
    /** The exit code of the same message, sent as a caller. */
    sends: async (words: string, env: Readonly<Record<string, string>> = {}) =>
      (await run(`${send} ${words}`.trim(), '', { env })).code,
  };
}

/** 0 if the message is sent, 11 if the account sent it before. */
const [isNew, isKnown] = [0, 11];

describe('a message that was sent by a profile is known', () => {
  it('after its key is renewed', async () => {
    const { add, sends } = await machine();
    await add('acme');
    expect(await sends('')).toBe(isNew);
    await add('acme', otherKey);
    expect(await sends('')).toBe(isKnown);
  });

  it('to another profile of the same business, at every spelling of the address', async () => {
    const { url, add, sends } = await machine();
    await add('acme');
    expect(await sends('')).toBe(isNew);
    const spelled = url.replace('127.0.0.1', 'localhost');
    await add(`beta --account ${spelled}`, otherKey, `${spelled}/v2`);
    expect(await sends('--profile beta')).toBe(isKnown);
  });
});

it('a message that was sent by another client at the same address is not known', async () => {
  const { add, sends } = await machine();
  await add('acme');
  await add('beta --account beta', otherKey);
  expect([await sends('--profile acme'), await sends('--profile beta')]).toEqual([isNew, isNew]);
});

describe('the account', () => {
  it("is the profile's before BIZMSG_ACCOUNT", async () => {
    const { url, add, sends } = await machine();
    await add('acme --account shop');
    expect(await sends('', { BIZMSG_ACCOUNT: 'other' })).toBe(isNew);
    const environment = { BIZMSG_API_KEY: otherKey, BIZMSG_BASE_URL: url };
    expect(await sends('', { ...environment, BIZMSG_ACCOUNT: 'shop' })).toBe(isKnown);
  });

  it('is BIZMSG_ACCOUNT before the address, in one Unicode form', async () => {
    const { url, sends } = await machine();
    const as = (account: string) => ({ BIZMSG_API_KEY: liveKey, BIZMSG_BASE_URL: url, BIZMSG_ACCOUNT: account });
    expect(await sends('', as('Café'))).toBe(isNew);
    expect(await sends('', as('Tea'))).toBe(isNew);
    expect(await sends('', as(' Cafe\u0301 '))).toBe(isKnown);
  });
});
