import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makePipe } from '../support/disk.ts';
import { keys, type Machine, openMachine, people, phoneOf } from './twice/rig.ts';

let machine: Machine;
beforeEach(async () => {
  machine = await openMachine();
});
afterEach(() => machine[Symbol.asyncDispose]());

function list(name: string, ...numbers: readonly number[]): string {
  const file = join(machine.home, name);
  writeFileSync(file, numbers.map((number) => `${phoneOf(number)}\n`).join(''));
  return file;
}

const asked = () => machine.service.asked.map(({ phone }) => phone);
const single = (number: number) => ['send-template', phoneOf(number), 'welcome', '-o', 'json'];
const raw = (number: number) => {
  const body = ['-f', `to=${phoneOf(number)}`, '-f', 'template=welcome', '-f', 'params[]'];
  return ['api', '/api/public/messages/send-template', ...body, '-o', 'json'];
};
/** With a profile instead of the key in the environment. */
const profile = async (...words: readonly string[]) => {
  const { BIZMSG_BASE_URL: url = '', BIZMSG_API_KEY: key = '' } = machine.env;
  machine.env = {};
  const login = ['login', '--no-check', '--profile', 'acme', '--base-url', url, '--key-stdin'];
  await machine.run(login, { stdin: key });
  await machine.run(['keys', 'switch-mode', 'live', '--profile', 'acme', '--yes']);
  return machine.run(['profiles', 'set', 'acme', ...words, '-o', 'json']);
};

it.each([
  ['a single message', single],
  ['a message by api', raw],
])('refuses %s to a phone that is not in the list, with a live key only', async (_, words) => {
  machine.env = { ...machine.env, BIZMSG_ONLY_TO: list('team.txt', 1) };
  const refused = await machine.run(words(2));
  expect([refused.code, asked(), refused.stderr]).toEqual([11, [], expect.stringContaining('is not in')]);
  expect((await machine.run(words(1))).code).toBe(0);
  machine.env = { ...machine.env, BIZMSG_API_KEY: keys.sandbox };
  expect((await machine.run(words(2))).code).toBe(0);
  expect(asked()).toEqual([phoneOf(1), phoneOf(2)]);
});

it('refuses a message by api that names its recipient twice, since a service may read either', async () => {
  machine.env = { ...machine.env, BIZMSG_ONLY_TO: list('team.txt', 1) };
  const stdin = `{"to":"${phoneOf(2)}","to":"${phoneOf(1)}","template":"welcome","params":[]}`;
  const words = ['api', '/api/public/messages/send-template', '--input', '-', '-o', 'json'];
  const { code, stderr } = await machine.run(words, { stdin });
  expect([code, stderr]).toEqual([2, expect.stringContaining('the message has \\"to\\" twice')]);
  expect(machine.service.asked).toEqual([]);
});

it.each([
  ['has no params', { to: phoneOf(1), template: 'welcome' }],
  ['has another spelling of the phone', { to: '+1 2025000002', template: 'welcome', params: [] }],
  ['is for several people', { messages: [{ to: phoneOf(2), template: 'welcome', params: [] }] }],
  ['has another path', { to: phoneOf(2), template: 'welcome', params: [] }, 'send-template;v=1'],
  ['has another method', { to: phoneOf(1), template: 'welcome', params: [] }, 'send-template', 'PUT'],
])(
  'refuses a message by api whose recipient is not known: it %s',
  async (_, body, path = 'send-template', by = 'POST') => {
    const words = ['api', `/api/public/messages/${path}`, '-X', by, '--input', '-', '-o', 'json'];
    const options = { stdin: JSON.stringify(body) };
    machine.env = { ...machine.env, BIZMSG_ONLY_TO: list('team.txt', 1) };
    const { code, stderr } = await machine.run(words, options);
    expect([code, stderr]).toEqual([11, expect.stringContaining('"code":"recipient-unknown"')]);
    expect(machine.service.asked).toEqual([]);
  },
);

it.each([
  ['a list that got shorter', (file: string) => writeFileSync(file, `${phoneOf(1)}\n`), 0],
  ['a list that is gone', (file: string) => rmSync(file), 3],
])('obeys %s in a running batch', async (_, change, code) => {
  const file = list('team.txt', 1, 2, 3);
  machine.reply = () => (change(file), 200);
  machine.env = { ...machine.env, BIZMSG_ONLY_TO: file };
  const ran = await machine.batch(people(1, 3), '--concurrency 1');
  expect([ran.code, asked()]).toEqual([code, [phoneOf(1)]]);
});

it('skips others in a batch, counts them, and neither fails them nor writes them to a file', async () => {
  machine.env = { ...machine.env, BIZMSG_ONLY_TO: list('team.txt', 1, 3) };
  const { stdout } = await machine.batch(people(1, 4), '--dry-run');
  expect(JSON.parse(stdout)).toMatchObject({ would_send: 2, skipped: { only_to: 2 } });
  const { code, summary } = await machine.batch(people(1, 4));
  expect([code, asked()]).toEqual([0, [phoneOf(1), phoneOf(3)]]);
  expect(summary).toMatchObject({ sent: 2, failed: 0, skipped: { only_to: 2 }, files: { failed: null } });
  expect(existsSync(join(machine.home, 'people.failed.csv'))).toBe(false);
  const shown = JSON.parse((await machine.run(['runs', 'show', '-o', 'json'])).stdout);
  expect(shown[1]).toMatchObject({ outcome: 'excluded', reason: 'not in the only-to list' });
});

it('sends to those who are in the list of the profile and in that of the environment, and says where they come from', async () => {
  const [one, other] = [list('team.txt', 1, 2), list('mine.txt', 2, 3)];
  const set = await profile('--only-to', one, '--country', 'US');
  expect(JSON.parse(set.stdout)).toMatchObject({ only_to: one, country: 'US' });
  machine.env = { BIZMSG_ONLY_TO: other };
  const dry = await machine.batch(people(1, 4), '--profile acme --dry-run');
  expect(dry.stderr).toContain(
    'settings of profile acme: --country US, only to phones in team.txt, only to phones in mine.txt',
  );
  const answers = [[/Send it\?/, 'y']] as const;
  const { stderr } = await machine.run(
    ['send-batch', 'welcome', machine.write(people(1, 4)), '-p', ':name', '--profile', 'acme'],
    { answers },
  );
  expect(stderr).toContain('Settings of profile acme: --country US');
  expect(asked()).toEqual([phoneOf(2)]);
  expect((await machine.run([...single(1), '--profile', 'acme'])).code).toBe(11);
});

it('refuses everything while the list is missing, and says how to go on', async () => {
  const file = list('team.txt', 1);
  await profile('--only-to', file);
  rmSync(file);
  const batch = ['send-batch', 'welcome', machine.write(people(1, 1)), '-p', ':name', '--at-most', '9'];
  for (const words of [single(1), raw(1), batch, [...batch, '--dry-run']]) {
    const { code, stderr } = await machine.run([...words, '--profile', 'acme', '--json']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('the only-to list: ')]);
    expect(stderr).toContain('restore it');
  }
  expect(asked()).toEqual([]);
  await machine.run(['profiles', 'set', 'acme', '--only-to', 'none']);
  expect((await machine.run([...single(1), '--profile', 'acme'])).code).toBe(0);
});

it.each([
  ['a single message', () => single(1)],
  ['a batch', () => ['send-batch', 'welcome', machine.write(people(1, 1)), '-p', ':name', '--at-most', '1']],
])('does not wait for the writer of a pipe as the list of %s', { timeout: 20_000 }, async (_, words) => {
  const file = join(machine.home, 'pipe');
  makePipe(file);
  machine.env = { ...machine.env, BIZMSG_ONLY_TO: file };
  const { code, stderr } = await machine.run(words());
  expect([code, stderr, asked()]).toEqual([3, expect.stringContaining('it is not a regular file'), []]);
});

it.each([
  ['a line that is not a phone', `${phoneOf(1)}\nAda\n`, 2, 'line 2: "Ada" is not a phone number'],
  ['an empty list', '', 2, 'is empty'],
  ['a missing file', undefined, 3, 'there is no such file'],
])('refuses %s when it is set', async (_, text, code, says) => {
  const file = join(machine.home, 'team.txt');
  if (text !== undefined) writeFileSync(file, text);
  const set = await profile('--only-to', file);
  expect([set.code, JSON.parse(set.stderr).error.message]).toEqual([code, expect.stringContaining(says)]);
});
