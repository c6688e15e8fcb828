import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { callerCheck, keyCheck, planCheck } from '../../src/doctor/caller.ts';
import { certificateCheck } from '../../src/doctor/network.ts';
import { clockCheck, engines, leftoversCheck, nodeCheck, runsCheck } from '../../src/doctor/machine.ts';
import { isWindows, quoted } from '../support/system.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const day = 86_400_000;

describe('the version of Node', () => {
  it('is checked against the engines in package.json', () => {
    const { engines: named } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(named.node).toBe(engines);
  });

  it.each([
    ['20.19.0', 'pass'],
    ['20.18.9', 'warn'],
    ['21.7.0', 'warn'],
    ['22.13.0', 'pass'],
    ['22.12.9', 'warn'],
    ['23.11.0', 'warn'],
    ['24.0.0', 'pass'],
    ['26.1.2', 'pass'],
    ['31.0.0-nightly', 'pass'],
  ])('%s gives %s', (version, status) => {
    expect(nodeCheck(version, now).status).toBe(status);
  });

  it('gives a warning after its end of life', () => {
    expect(nodeCheck('20.19.0', Date.parse('2026-05-01')).status).toBe('warn');
  });
});

describe('the clock', () => {
  const checkDate = (date: string | undefined) => clockCheck({ sentAt: now, receivedAt: now + 200, date });
  const at = (seconds: number) => checkDate(new Date(now + seconds * 1000).toUTCString());

  it.each([
    [0, 'pass'],
    [-5, 'pass'],
    [5, 'pass'],
    [-7, 'warn'],
    [6, 'warn'],
  ])('of a service that is %i s ahead gives %s', (seconds, status) => {
    expect(at(seconds).status).toBe(status);
  });

  it.each([undefined, 'noon'])('is skipped if the service sends the date %j', (date) => {
    expect(checkDate(date).status).toBe('skip');
  });

  it('is reported as ahead or behind', () => {
    expect([at(60).message, at(-60).message]).toEqual(["60 s behind the service's", "59 s ahead of the service's"]);
  });
});

describe('a certificate', () => {
  const shown = { host: 'api.test', fault: undefined, subject: 'Api', issuer: 'Root', until: now + 90 * day };

  it.each([
    ['that is valid for a long time', shown, 'pass', 'by Root, valid for 90 days'],
    ['that expires soon', { ...shown, until: now + 5 * day }, 'warn', 'by Root, valid for 5 days'],
    ['that has expired', { ...shown, fault: 'CERT_HAS_EXPIRED', until: now }, 'fail', 'expired on 2026-03-01'],
    [
      'for another host',
      { ...shown, fault: 'ERR_TLS_CERT_ALTNAME_INVALID' },
      'fail',
      'it is for Api, not for api.test',
    ],
    [
      'from an unknown authority',
      { ...shown, fault: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
      'fail',
      'signed by Root, which this machine does not trust',
    ],
    [
      'that signs itself',
      { ...shown, fault: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
      'fail',
      'self-signed by Api, which this machine does not trust',
    ],
    ['with an unusual error', { ...shown, fault: 'CERT_REVOKED' }, 'fail', 'it is not trusted: CERT_REVOKED'],
  ])('%s is checked', (_, one, status, message) => {
    expect(certificateCheck(one, now)).toMatchObject({ status, message });
  });
});

describe('a key', () => {
  it.each([
    ['sk_test_0123456789ab', 'sandbox', 'pass', 'sk_test_…89ab, a sandbox key'],
    ['sk_live_0123456789ab', 'live', 'pass', 'sk_live_…89ab, a live key: what it sends is real'],
    ['0123456789abcdef', 'unknown', 'warn', '…cdef has neither prefix, so it counts as a live key'],
  ] as const)('%s is recognized as %s', (key, mode, status, message) => {
    expect(keyCheck({ key, mode }, false)).toMatchObject({ status, message });
  });
});

describe('a plan', () => {
  const caller = {
    kind: 'service',
    source: '--profile',
    profile: "o'neil",
    baseUrl: '',
    key: '',
    mode: 'live',
  } as const;

  it('that is unknown gives a warning with the command that sets it', () => {
    const { status, remedy } = planCheck(caller, undefined, false);
    const name = isWindows ? `"o'neil"` : String.raw`'o'\''neil'`;
    expect([status, remedy]).toEqual(['warn', expect.stringContaining(`set ${name} --plan NAME`)]);
  });

  it.each([
    ['live', 'not known, so a run with a live key sends 60 a minute'],
    ['sandbox', 'not known, so runs cannot be paced'],
  ] as const)('that is unknown sets the pace of a %s run: %s', (mode, text) => {
    expect(planCheck({ ...caller, mode }, undefined, false).message).toBe(text);
  });

  it('that is negotiated needs a rate', () => {
    const { remedy } = planCheck({ ...caller, plan: 'enterprise' }, undefined, false);
    expect(remedy).toContain('--plan enterprise --rate N/m');
  });

  it('that is known is reported with its rate', () => {
    const { message } = planCheck({ ...caller, plan: 'scale' }, 1000, false);
    expect(message).toBe('scale, 1,000 requests a minute');
  });
});

it('reports the source of the caller and those it overrides', () => {
  const caller = { kind: 'service', source: '--profile', profile: 'acme', baseUrl: '', key: '', mode: 'live' } as const;
  const candidates = [
    { source: '--profile', wins: true, address: 'a', why: '' },
    { source: 'BIZMSG_API_KEY', wins: false, address: 'b', why: '' },
    { source: 'newcomer', wins: false, address: 'c', why: '' },
  ] as const;
  expect(callerCheck({ caller, candidates }).message).toBe('acme, named by --profile, which overrides BIZMSG_API_KEY');
});

it.each([
  [[], 'pass', 'none'],
  [['finished'], 'pass', '1 run, all finished'],
  [['finished', 'running'], 'pass', '1 run under way'],
  [['unfinished', 'finished', 'unfinished'], 'warn', '2 runs unfinished'],
] as const)('reports the runs %j', (states, status, message) => {
  expect(runsCheck(states)).toMatchObject({ status, message });
});

it('reports leftovers of dead processes, and how to remove unreadable ones', () => {
  const traces = { strays: [], dead: ['one'] };
  expect(leftoversCheck([traces]).message).toBe('1 trace of a dead process; the next command clears it');
  expect(leftoversCheck([traces, traces]).message).toBe('2 traces of dead processes; the next command clears them');
  expect(leftoversCheck([traces, { ...traces, strays: ['/s/1.json', '/s/2 .json'] }]).remedy).toBe(
    quoted("rm /s/1.json '/s/2 .json'"),
  );
});
