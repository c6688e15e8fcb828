import { describe, expect, it } from 'vitest';
import { configuration } from '../../../src/base/errors.ts';
import { explain } from '../../../src/session/profiles/explain.ts';
import { inputs, bareKey, liveKey, noStore, testKey } from './people.ts';

const environment = { BIZMSG_API_KEY: liveKey, BIZMSG_BASE_URL: 'https://env.example.com' };

function reasons(given: Parameters<typeof inputs>[0]) {
  return Object.fromEntries(explain(inputs(given)).candidates.map(({ source, why }) => [source, why]));
}

describe('the explanation', () => {
  it('names the winner and why each other source lost', () => {
    const { caller, problem, candidates } = explain(inputs({ env: environment }));
    expect(caller).toMatchObject({ source: 'BIZMSG_API_KEY' });
    expect(problem).toBeUndefined();
    expect(candidates).toEqual([
      { source: '--profile', wins: false, why: 'not set' },
      {
        source: 'BIZMSG_API_KEY',
        wins: true,
        profile: undefined,
        address: 'https://env.example.com',
        mode: 'live',
        key: 'sk_live_…0002',
        why: 'the first that is set',
      },
      { source: 'BIZMSG_PROFILE', wins: false, why: 'not set' },
      {
        source: 'profile in use',
        wins: false,
        profile: 'acme',
        address: 'https://api.example.com/v1',
        mode: 'sandbox',
        key: 'sk_test_…0001',
        why: 'BIZMSG_API_KEY comes first',
      },
      { source: 'newcomer', wins: false, why: 'only used on a terminal, before the first profile' },
    ]);
  });

  it('returns the problem instead of throwing it', () => {
    const given = inputs({ env: { ...environment, BIZMSG_PROFILE: 'acme' } });
    const { caller, problem, candidates } = explain(given);
    expect(caller).toBeUndefined();
    expect(problem).toMatchObject({ code: 'two-callers' });
    expect(candidates.some(({ wins }) => wins)).toBe(false);
    expect(reasons(given)).toMatchObject({
      BIZMSG_API_KEY: 'BIZMSG_API_KEY and BIZMSG_PROFILE are both set',
      BIZMSG_PROFILE: 'BIZMSG_API_KEY comes first',
    });
  });

  it('has no winner if the environment is invalid', () => {
    const { problem, candidates } = explain(inputs({ env: { BIZMSG_MODE: 'test' }, flags: { profile: 'local' } }));
    expect(problem).toMatchObject({ code: 'bad-variable' });
    expect(candidates.some(({ wins }) => wins)).toBe(false);
  });

  it('reports a damaged store, and the source that wins over it', () => {
    const loadStore = () => {
      throw configuration('store-damaged', 'profiles.json is not JSON');
    };
    const { caller } = explain(inputs({ env: environment, loadStore }));
    expect(caller).toMatchObject({ key: liveKey });
    expect(reasons({ env: environment, loadStore })).toMatchObject({
      'profile in use': 'BIZMSG_API_KEY comes first; profiles.json is not JSON',
    });
  });

  it('explains the sandbox on a new machine', () => {
    const { candidates } = explain(inputs({ terminal: true, loadStore: () => noStore }));
    expect(candidates.at(-1)).toMatchObject({ source: 'newcomer', wins: true, profile: 'local' });
  });

  it.each([testKey, liveKey, bareKey])('masks a key: %s', (key) => {
    const env = { ...environment, BIZMSG_API_KEY: key };
    expect(JSON.stringify(explain(inputs({ env })).candidates)).not.toContain(key);
  });
});
