import { beforeEach, describe, expect, it } from 'vitest';
import { type Machine, message, openMachine } from './machine.ts';

let machine: Machine;
beforeEach(async () => {
  machine = await openMachine();
});

const [send, to] = message;
const raw = ['api', '/api/public/messages/send-template', '--input', '-'];
const body = JSON.stringify({ params: ['Ada', 'A-1042'], to, template: 'order_update' });

describe('a live message that was sent before', () => {
  beforeEach(async () => void (await machine.live(message)));

  it.each(['--no-input', '--yes', '--quiet'])('is refused with %s without a terminal, and not sent', async (word) => {
    const { code, stdout, stderr } = await machine.live([...message, word]);
    expect([code, stdout]).toEqual([11, '']);
    expect(stderr).toContain('the same message was sent ');
    expect(machine.sent()).toBe(1);
  });

  it.each([
    ['another template', [send, to, 'welcome']],
    ['another recipient', [send, '+12025550102', ...message.slice(2)]],
    ['another param', [...message.slice(0, -1), 'A-1043']],
    ['the params in another order', [send, to, 'order_update', '-p', 'A-1042', '-p', 'Ada']],
    ['a sandbox key', [...message, '--mode', 'sandbox']],
    ['a dry run', [...message, '--mode', 'live', '--dry-run']],
  ])('is a different message with %s', async (_, words) => {
    expect((await machine.run(words.includes('--mode') ? words : [...words, '--mode', 'live'])).code).toBe(0);
  });

  it('is recognized whichever command sends it, in any notation', async () => {
    for (const stdin of [body, body.replace(to, '+1 (202) 555-0101')])
      expect((await machine.live(raw, { stdin })).code).toBe(11);
    expect((await machine.live([...raw, '--again'], { stdin: body })).code).toBe(0);
  });
});

describe('a live message that may have been sent before', () => {
  beforeEach(() => machine.breakNextSend());

  it('ends with 13 and the next step, and is not sent again', async () => {
    const { code, stderr } = await machine.live(message);
    const hint = /^ {2}bizmsg sandbox log shows [^\n]*\n {2}--again sends it once more\n$/m;
    expect([code, stderr]).toEqual([13, expect.stringMatching(hint)]);
    const why: unknown = expect.stringContaining('may have been sent');
    expect(await machine.live([...message, '--yes'])).toMatchObject({ code: 11, stdout: '', stderr: why });
    expect(machine.sent()).toBe(1);
  });

  it('is sent with --again, and then counts as sent', async () => {
    await machine.live(message);
    expect((await machine.live([...message, '--again'])).code).toBe(0);
    const { code, stderr } = await machine.live(message);
    expect([code, stderr]).toEqual([11, expect.stringContaining('the same message was sent')]);
  });

  it('does not stop other messages, or the same one in a dry run', async () => {
    await machine.live(message);
    expect((await machine.live([send, to, 'welcome'])).code).toBe(0);
    expect((await machine.live([...message, '--dry-run'])).code).toBe(0);
  });
});

it.each([
  [4, 'just now'],
  [42, '42 s ago'],
  [130, '2 min ago'],
])('a message that was sent %i seconds before was sent %s', async (seconds, ago) => {
  const sentAt = Date.now();
  await machine.live(message, { now: () => sentAt });
  const { stderr } = await machine.live(message, { now: () => sentAt + seconds * 1_000 });
  expect(stderr).toContain(`was sent ${ago}; nothing was sent now`);
});

it('a sandbox key needs no confirmation', async () => {
  machine.breakNextSend();
  const { stderr } = await machine.run(message);
  expect(stderr).toContain('\n  the same command sends it once more\n');
  expect((await machine.run(message)).code).toBe(0);
});

describe('a live request that cannot be compared with what was sent', () => {
  const params = ['Ada', 'A-1042'];
  it.each([
    ['no params', { to, template: 'order_update' }],
    ['params that are no texts', { to, template: 'order_update', params: [1] }],
    ['an unreadable recipient', { to: 'Ada', template: 'order_update', params }],
    ['a list of recipients', { to: [to], template: 'order_update', params }],
  ])('is refused until --again: %s', async (_, message) => {
    const stdin = JSON.stringify(message);
    const refused = await machine.live(raw, { stdin });
    expect([refused.code, refused.stderr]).toEqual([11, expect.stringContaining('cannot be compared')]);
    expect(machine.sent()).toBe(0);
    await machine.live([...raw, '--again'], { stdin });
    expect(machine.sent()).toBe(1);
  });
});
