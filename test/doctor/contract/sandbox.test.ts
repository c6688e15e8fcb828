import { afterEach, describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { openWorld, type World } from '../../support/world.ts';
import { examined } from './rig.ts';

let world: World;
const open = async (options: SandboxOptions = {}) => (world = await openWorld(options));
afterEach(() => world.close());
const compared = (apiKey = world.sandbox.keys.sandbox) =>
  examined([], { home: world.home, env: { ...world.env, BIZMSG_API_KEY: apiKey } });

describe('the sandbox', () => {
  it.each(['read-only', 'send-only', 'full'] as const)('does not differ with a %s key', async (scope) => {
    await open();
    const { code, differing } = await compared(world.sandbox.keys.create(scope).text);
    expect([code, differing]).toEqual([0, []]);
  });

  it('does not differ on an exhausted plan that lacks an endpoint', async () => {
    await open({ monthly: 0, without: ['listCampaigns'] });
    expect((await compared()).differing).toEqual([]);
  });

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

  it('returns no 429 on the starter plan', async () => {
    await open({ plan: 'starter' });
    await compared();
    expect(world.sandbox.requests().filter(({ status }) => status === 429)).toEqual([]);
  });
});
