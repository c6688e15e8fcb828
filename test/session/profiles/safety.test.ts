import { describe, expect, it } from 'vitest';
import { refuseUnsafeTarget } from '../../../src/session/profiles/safety.ts';
import { leadsTo } from '../../../src/sandbox/remote/locator.ts';
import { thrown } from '../../support/thrown.ts';
import { bareKey, liveKey, localKey, localLiveKey, testKey } from './people.ts';

const sandbox = 'http://127.0.0.1:4780';
const service = 'https://api.example.com/v1';
const running = { url: sandbox, port: 4780, loopback: 'both' } as const;
const around = (baseUrl: string) => ({ simulated: leadsTo(running, baseUrl), onlyLocal: false, unverified: false });

describe('the check of a target', () => {
  it.each([
    [testKey, 'sandbox', service],
    [liveKey, 'live', service],
    [bareKey, 'unknown', service],
    [testKey, 'sandbox', 'http://127.0.0.1:9999'],
    [liveKey, 'live', 'http://localhost:9999'],
    [localKey, 'sandbox', sandbox],
    [localLiveKey, 'live', 'http://localhost:4780/prefix'],
    [localKey, 'sandbox', 'http://[::1]:4780'],
    [testKey, 'sandbox', sandbox],
    [bareKey, 'sandbox', sandbox],
  ] as const)('lets %s (%s) go to %s', (key, mode, baseUrl) => {
    expect(() => refuseUnsafeTarget({ kind: 'service', key, mode, baseUrl }, around(baseUrl))).not.toThrow();
  });

  it.each([
    [localKey, 'sandbox', service, 'local-key-elsewhere'],
    [localLiveKey, 'live', service, 'local-key-elsewhere'],
    [localKey, 'sandbox', 'http://127.0.0.1:9999', 'local-key-elsewhere'],
    [localKey, 'sandbox', 'http://127.0.0.2:4780', 'local-key-elsewhere'],
    [liveKey, 'live', sandbox, 'live-key-to-sandbox'],
    [liveKey, 'live', 'http://localhost:4780', 'live-key-to-sandbox'],
    [liveKey, 'live', 'http://[::1]:4780/x', 'live-key-to-sandbox'],
    [bareKey, 'unknown', sandbox, 'live-key-to-sandbox'],
    [testKey, 'sandbox', 'http://api.example.com', 'plain-http'],
    [liveKey, 'live', 'http://0.0.0.0:4780', 'plain-http'],
    [liveKey, 'live', 'http://localhost.evil.example', 'plain-http'],
  ] as const)('keeps %s (%s) from %s', (key, mode, baseUrl, code) => {
    const error = thrown(() => refuseUnsafeTarget({ kind: 'service', key, mode, baseUrl }, around(baseUrl)));
    expect(error).toMatchObject({ exit: 'unsafe', code });
    expect(String(error)).not.toContain(key);
  });

  it('reports that the sandbox is not running for its local key', () => {
    const target = { kind: 'service', key: localKey, mode: 'sandbox', baseUrl: 'http://localhost:4790' } as const;
    expect(thrown(() => refuseUnsafeTarget(target, around(target.baseUrl)))).toMatchObject({
      hint: expect.stringContaining('start one with bizmsg sandbox start'),
    });
  });

  it.each([
    [{ sandbox: localKey, live: localLiveKey }, 'the sandbox that made it runs at http://127.0.0.1:4782'],
    [{ sandbox: 'sk_test_local-other', live: 'sk_live_local-other' }, 'a sandbox runs at http://127.0.0.1:4782'],
  ])('names the address of a running sandbox for its local key: %j', (keys, hint) => {
    const target = { kind: 'service', key: localKey, mode: 'sandbox', baseUrl: 'http://localhost:4790' } as const;
    const conditions = { ...around(target.baseUrl), running: () => [{ url: 'http://127.0.0.1:4782', keys }] };
    expect(thrown(() => refuseUnsafeTarget(target, conditions))).toMatchObject({ hint });
  });

  it('refuses every target but a local sandbox under BIZMSG_LOCAL_ONLY=1', () => {
    const only = (baseUrl: string) => ({ ...around(baseUrl), onlyLocal: true });
    const target = { kind: 'service', key: testKey, mode: 'sandbox' } as const;
    for (const baseUrl of [service, 'http://127.0.0.1:9'])
      expect(thrown(() => refuseUnsafeTarget({ ...target, baseUrl }, only(baseUrl)))).toMatchObject({
        code: 'only-local',
      });
    expect(() => refuseUnsafeTarget({ ...target, key: localKey, baseUrl: sandbox }, only(sandbox))).not.toThrow();
  });
});
