import { describe, expect } from 'vitest';
import { later } from '../../support/cli.ts';
import { envOf } from '../../support/service.ts';
import { it, keys, type Machine, people } from './rig.ts';

const all = people(1, 200);

describe('a batch with what another sender has sent', () => {
  /** Stores a live key in a profile. */
  async function addProfile(machine: Machine, name: string): Promise<void> {
    const { BIZMSG_API_KEY: key } = envOf(machine.service);
    const { url } = machine.service;
    const add = ['login', '--no-check', '--yes', '--profile', name, '--base-url', url, '--account', url, '--key-stdin'];
    expect((await machine.run(add, { stdin: `${key}\n` })).code).toBe(0);
  }

  it('is refused for two profiles with one key', async ({ machine }) => {
    machine.env = {};
    for (const name of ['acme', 'beta']) await addProfile(machine, name);
    await machine.sends(200, all, '--profile acme --mode live');
    await machine.refuses([/200 found/], all, '--profile beta --mode live');
  });

  it('is refused for a profile whose key is rotated', async ({ machine }) => {
    machine.env = {};
    await addProfile(machine, 'acme');
    const words = '--profile acme --mode live';
    await machine.sends(200, all, words);
    const set = ['login', '--no-check', '--key-stdin', '--profile', 'acme'];
    expect((await machine.run(set, { stdin: `${keys.otherLive}\n` })).code).toBe(0);
    await machine.refuses([/200 found/], all, words);
  });

  it.for([
    ['the same key at localhost', {}, { BIZMSG_BASE_URL: 'localhost' }],
    ['another key', { BIZMSG_ACCOUNT: 'acme' }, { BIZMSG_ACCOUNT: 'acme', BIZMSG_API_KEY: keys.otherLive }],
  ] as const)('is refused for an environment with %s of the account', async ([, before, after], { machine }) => {
    machine.env = { ...machine.env, ...before };
    await machine.sends(200, all);
    const host = 'BIZMSG_BASE_URL' in after ? after.BIZMSG_BASE_URL : '127.0.0.1';
    const url = machine.service.url.replace('127.0.0.1', host);
    machine.env = { ...machine.env, ...after, BIZMSG_BASE_URL: url };
    await machine.refuses([/200 found/], all);
  });

  it('is sent with the key of an account with another name', async ({ machine }) => {
    machine.env = { ...machine.env, BIZMSG_ACCOUNT: 'one' };
    await machine.sends(200, all);
    machine.env = { ...machine.env, BIZMSG_ACCOUNT: 'other', BIZMSG_API_KEY: keys.otherLive };
    await machine.sends(200, all);
    machine.times = () => 2;
  });

  it('of a job sends nothing with another key of its address', async ({ machine }) => {
    await machine.sends(200, all, '--job news');
    machine.env = { ...machine.env, BIZMSG_API_KEY: keys.otherLive };
    await machine.sends(0, all, '--job news');
  });
});

describe('a request without a certain outcome', () => {
  it.for([409, 408, 500, 'reset'] as const)('after %s is unsure, and held back', async (reply, { machine }) => {
    machine.reply = ({ phone }) => (phone === all[6]?.phone ? reply : 200);
    await machine.sends({ sent: 199, code: 10 }, all);
    machine.reply = () => 200;
    await machine.refuses([/200 found/], all);
    await machine.sends({ sent: 0, code: 10, skipped: { unsure: 1 } }, all, '--skip-sent');
  });

  /** Makes two minutes pass in a second. */
  const hurried = {
    later: (milliseconds: number, run: () => void) => later(milliseconds / 200, run),
    steady: () => performance.now() * 200,
  };

  it('that is refused a connection after the claim is released, and sent later', async ({ machine }) => {
    void machine.arrived(100).then(machine.service.close);
    const { code, summary } = await machine.batch(all, [], hurried);
    const { unsure = 0, not_reached: left = 0 } = summary ?? {};
    expect([code, unsure > 0, unsure <= 16]).toEqual([9, true, true]);
    await machine.service.reopen();
    await machine.sends({ sent: left, code: 10, skipped: { unsure } }, all);
  });

  it('that fails in TLS is released, and sent by the same command', async ({ machine }) => {
    const { BIZMSG_BASE_URL: url = '' } = machine.env;
    machine.env = { ...machine.env, BIZMSG_BASE_URL: url.replace('http:', 'https:') };
    expect(await machine.batch(all, [], hurried)).toMatchObject({ code: 9, summary: { unsure: 0, not_reached: 200 } });
    machine.env = { ...machine.env, BIZMSG_BASE_URL: url };
    await machine.sends(200, all);
  });
});

describe('an import', () => {
  it('with 3 failed rows of 400 creates only these when it is repeated', async ({ machine }) => {
    const rows = people(1, 400);
    const failing = new Set([rows[3], rows[200], rows[399]].map((row) => row?.phone));
    machine.reply = ({ phone }) => (failing.has(phone) ? 422 : 200);
    expect(await machine.load(rows)).toMatchObject({ code: 10, summary: { sent: 397, failed: 3 } });
    machine.reply = () => 200;
    for (const sent of [3, 0]) expect(await machine.load(rows)).toMatchObject({ code: 0, summary: { sent } });
  });

  it('of Ada, Ava and Ada again skips the second Ada, which --again imports', async ({ machine }) => {
    const [ada, ava] = ['Ada', 'Ava'].map((name) => people(1, 1, () => ({ name })));
    for (const [rows = [], words, sent] of [
      [ada, [], 1],
      [ava, [], 1],
      [ada, [], 0],
      [ada, '--again', 1],
    ] as const)
      expect(await machine.load(rows, words)).toMatchObject({ code: 0, summary: { sent } });
    machine.times = () => [1, 2];
  });
});
