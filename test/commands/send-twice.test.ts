import { beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import type { Machine } from './activity-rig.ts';
import { message, openMachine } from './activity-rig.ts';

let machine: Machine;
beforeEach(async () => {
  machine = await openMachine();
});

const noted = 'the very same was sent';
const [send, to] = message;

describe('a live message that was sent before', () => {
  it('is sent again with a note that names it, when nobody is there to be asked', async () => {
    const { stdout } = await machine.live(message);
    const { code, stderr } = await machine.live(message);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`ago (message_id ${stdout.trim()})`)]);
  });

  it.each([
    ['another template', [send, to, 'welcome']],
    ['another recipient', [send, '+12025550102', ...message.slice(2)]],
    ['another param', [...message.slice(0, -1), 'A-1043']],
    ['the params in another order', [send, to, 'order_update', '-p', 'A-1042', '-p', 'Ada']],
    ['a sandbox key', [...message, '--mode', 'sandbox']],
    ['a dry run', [...message, '--mode', 'live', '--dry-run']],
  ])('is no such one with %s', async (_, words) => {
    await machine.live(message);
    const { code, stderr } = await machine.run(words.includes('--mode') ? words : [...words, '--mode', 'live']);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining(noted)]);
  });

  it('is no such one with another key, or at another address', async () => {
    const { live } = machine.sandbox.keys;
    await machine.live(message);
    const other = await cli(message, { home: machine.home, env: await envOf(live) });
    const same = await cli(message, { home: machine.home, env: await envOf(live) });
    expect([other.stderr.includes(noted), same.stderr.includes(noted)]).toEqual([false, true]);
    const created = await cli(['sandbox', 'keys', 'create', '--live', '-o', 'json'], { home: machine.home });
    const { key }: { readonly key: string } = JSON.parse(created.stdout);
    const another = await cli(message, { home: machine.home, env: await envOf(key) });
    expect([another.code, another.stderr.includes(noted)]).toEqual([0, false]);
  });

  it('is no such one after ten minutes', async () => {
    await machine.live(message);
    const after = (minutes: number) => ({ now: () => Date.now() + minutes * 60_000 });
    expect((await machine.live(message, after(11))).stderr).not.toContain(noted);
  });

  it('is known of whichever command sent it', async () => {
    await machine.live(message);
    const body = JSON.stringify({ params: ['Ada', 'A-1042'], to, template: 'order_update' });
    const { code, stderr } = await machine.live(['api', '/api/public/messages/send-template', '--input', '-'], {
      stdin: body,
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining(noted)]);
  });

  it('is not noted with --quiet', async () => {
    await machine.live(message);
    expect((await machine.live([...message, '--quiet'])).stderr).not.toContain(noted);
  });

  it('has a digest that no other machine makes', async () => {
    const other = await openMachine();
    await machine.live(message);
    await other.live(message);
    const digests = [machine, other].map((one) => /"digest":"(\w{32})"/.exec(one.written())?.[1]);
    expect(new Set(digests).size).toBe(2);
    expect(digests).not.toContain(undefined);
  });
});

describe('a live message that may have been sent before', () => {
  beforeEach(() => machine.breakNextSend());

  it('ends with what to do next', async () => {
    const { code, stderr } = await machine.live(message);
    expect([code, stderr]).toEqual([
      13,
      expect.stringMatching(/bizmsg activity --since 10m shows .*--allow-unsure sends it again/),
    ]);
  });

  it.each([[[]], [['--yes']], [['--quiet']]])('is refused with %j, and nothing is sent', async (words) => {
    await machine.live(message);
    const { code, stdout, stderr } = await machine.live([...message, ...words]);
    expect([code, stdout]).toEqual([11, '']);
    expect(stderr).toContain('may have been sent');
    expect([await machine.sent(), (await machine.rows()).length]).toEqual([1, 1]);
  });

  it('is refused after ten minutes too, and not the day after', async () => {
    await machine.live(message);
    const at = (minutes: number) => ({ now: () => Date.now() + minutes * 60_000 });
    expect((await machine.live(message, at(60))).code).toBe(11);
    expect((await machine.live(message, at(25 * 60))).code).toBe(0);
  });

  it('is sent with --allow-unsure, after which it is as one that was sent', async () => {
    await machine.live(message);
    expect((await machine.live([...message, '--allow-unsure'])).code).toBe(0);
    const { code, stderr } = await machine.live(message);
    expect([code, stderr]).toEqual([0, expect.stringContaining(noted)]);
  });

  it('is refused by api too, which has the same way out', async () => {
    await machine.live(message);
    const body = JSON.stringify({ to, template: 'order_update', params: ['Ada', 'A-1042'] });
    const words = ['api', '/api/public/messages/send-template', '--input', '-'];
    expect((await machine.live(words, { stdin: body })).code).toBe(11);
    expect((await machine.live([...words, '--allow-unsure'], { stdin: body })).code).toBe(0);
  });

  it('keeps no other message from being sent, nor the same one in a dry run', async () => {
    await machine.live(message);
    expect((await machine.live([send, to, 'welcome'])).code).toBe(0);
    expect((await machine.live([...message, '--dry-run'])).code).toBe(0);
  });
});

it('asks and refuses nothing with a sandbox key', async () => {
  await machine.breakNextSend();
  await machine.run(message);
  const { code, stderr } = await machine.run(message);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('very same')]);
});

async function envOf(key: string): Promise<Readonly<Record<string, string>>> {
  const status = await cli(['sandbox', 'status', '-o', 'json'], { home: machine.home });
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(status.stdout) ?? [];
  return { BIZMSG_BASE_URL: url, BIZMSG_API_KEY: key };
}
