import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newHome, testKey } from '../support/fake-service.ts';
import { storeText } from './profile-store.ts';

const liveKey = 'sk_live_7Rw1Kc5NbY6uJe0SqMvA';
const profile = { baseUrl: 'https://api.example.com', mode: 'sandbox', keys: { sandbox: testKey } };
const stores: Readonly<Record<string, object>> = {
  'the name of a profile': { version: 1, current: 'acme', profiles: { acme: profile, [liveKey]: profile } },
  'the name of a damaged profile': { version: 1, profiles: { [liveKey]: { ...profile, mode: 'none' } } },
  'the name of the profile in use': { version: 1, current: liveKey, profiles: { acme: profile } },
};
const lines = ['doctor', 'whoami', 'whoami -o json', 'profiles list', 'contacts list'];

describe.each(Object.entries(stores))('a key that is %s in the store is not printed', (_, store) => {
  it.each(lines)('by %s', async (line) => {
    const home = newHome();
    storeText(home, JSON.stringify(store));
    const { stdout, stderr } = await cli(line.split(' '), { home });
    expect(stdout + stderr).toMatch(/looks like a key|there is no profile|acme/);
    expect(stdout + stderr).not.toContain('7Rw1Kc5N');
  });
});

describe.each(['whoami', 'doctor', 'contacts list'])('%s does not print a key', (line) => {
  it.each([liveKey, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])('that is named as the profile: %s', async (key) => {
    const home = newHome();
    storeText(home, JSON.stringify({ version: 1, current: 'acme', profiles: { acme: profile } }));
    for (const given of [{ words: ['--profile', key] }, { words: [], env: { BIZMSG_PROFILE: key } }]) {
      const { stdout, stderr } = await cli([...line.split(' '), ...given.words], { home, env: given.env ?? {} });
      expect(stdout + stderr).toContain(`there is no profile "${key.slice(0, key.startsWith('sk') ? 8 : 6)}…`);
      expect(stdout + stderr).not.toMatch(/7Rw1Kc5N|MfKQ9r8G/);
    }
  });
});
