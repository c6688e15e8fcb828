import { afterEach, describe, expect, it } from 'vitest';
import { shapeNamed } from '../../../src/sandbox/api/shapes.ts';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { openWorld, type World } from '../../support/world.ts';
import { examined } from './rig.ts';
import { isLong, some } from '../../support/long-tests.ts';

let world: World;
const open = async (options: SandboxOptions = {}) => (world = await openWorld(options));
afterEach(() => world.close());
const compared = (apiKey = world.sandbox.keys.sandbox) =>
  examined([], { home: world.home, env: { ...world.env, BIZMSG_API_KEY: apiKey } });

const seeds = Array.from({ length: isLong ? 10 : 2 }, (_, index) => `vary:${index}`);

describe.each(some(['default', 'bare', ...seeds]))('the sandbox in shape %s', (shape) => {
  const { error } = shapeNamed(shape);
  const isJson = error !== 'html' && error !== 'nothing';

  it(`differs only in §1, and only if errors are not JSON: ${error}`, async () => {
    await open({ shape });
    const { code, differing } = await compared();
    expect([code, differing]).toEqual(isJson ? [0, []] : [12, ['json']]);
  });

  it.each(['read-only', 'send-only'] as const)('differs only in §1 with a %s key', async (scope) => {
    await open({ shape });
    const { code, differing } = await compared(world.sandbox.keys.create(scope).text);
    expect([code, differing]).toEqual(isJson ? [0, []] : [12, ['json']]);
  });

  it('differs only in §1 on an exhausted plan that lacks an endpoint', async () => {
    await open({ shape, monthly: 0, without: ['listCampaigns'] });
    const { differing } = await compared();
    expect(differing).toEqual(isJson ? [] : ['json']);
  });
});

describe('the sandbox', () => {
  it('gets only GETs and requests it refuses, and does not change', async () => {
    await open();
    const before = world.sandbox.counts();
    const { calls } = await compared();
    const requests = world.sandbox.requests();
    expect(world.sandbox.counts()).toEqual(before);
    expect([requests.length, requests.filter(({ method, status }) => method !== 'GET' && status < 400)]).toEqual([
      calls,
      [],
    ]);
  });

  it('is reported without contact values or keys in any format', async () => {
    await open();
    const values = world.sandbox.contacts().flatMap(({ id, phone, name }) => [id, phone, name ?? id]);
    const secrets = [...values, world.sandbox.keys.sandbox, world.sandbox.keys.live];
    for (const form of [[], ['-o', 'json'], ['-o', 'ndjson'], ['-o', 'csv'], ['-o', 'tsv'], ['-o', 'table']]) {
      const { stdout, code } = await world.run(['doctor', '--contract', ...form]);
      expect([form, code, secrets.filter((one) => stdout.includes(one))]).toEqual([form, 0, []]);
    }
  });

  it('is reported by section of the document', async () => {
    await open();
    const { stdout } = await world.run(['doctor', '--contract']);
    const headings = stdout.split('\n').filter((line) => /^§\d /.test(line));
    expect(headings.map((line) => line.slice(0, 2))).toEqual(['§1', '§2', '§3', '§4', '§5', '§6', '§7', '§8', '§9']);
    expect(stdout).toContain('\n  holds     every endpoint returns JSON\n');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('is reported with each difference and its request', async () => {
    await open({ shape: seeds.find((seed) => shapeNamed(seed).error === 'html') ?? '' });
    const { stdout, code } = await world.run(['doctor', '--contract']);
    expect(code).toBe(12);
    expect(stdout).toContain('  differs   every endpoint returns JSON (§1)\n');
    expect(stdout).toContain('GET /api/public/contacts without a key: 401, text/html, not JSON\n');
  });

  it('returns no 429 on the starter plan', async () => {
    await open({ plan: 'starter' });
    await compared();
    expect(world.sandbox.requests().filter(({ status }) => status === 429)).toEqual([]);
  });
});
