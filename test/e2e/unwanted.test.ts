import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Machine, openMachine, phoneOf } from './twice/rig.ts';

let machine: Machine;
beforeEach(async () => {
  machine = await openMachine();
});
afterEach(() => machine[Symbol.asyncDispose]());

const asked = () => machine.service.asked.map(({ phone }) => phone.replaceAll(' ', ''));
const own = ['--profile', 'acme', '-o', 'json'];
const single = (number: number) => ['send-template', phoneOf(number), 'welcome', ...own];
const raw = (number: number, to = phoneOf(number)) => {
  const body = ['-f', `to=${to}`, '-f', 'template=welcome', '-f', 'params[]'];
  return ['api', '/api/public/messages/send-template', ...body, ...own];
};
/** A profile that never messages a person. */
const excluding = async (number: number) => {
  const file = join(machine.home, 'never.txt');
  writeFileSync(file, `${phoneOf(number)}\n`);
  const { BIZMSG_BASE_URL: url = '', BIZMSG_API_KEY: key = '' } = machine.env;
  machine.env = {};
  const login = ['login', '--no-check', '--profile', 'acme', '--base-url', url, '--key-stdin'];
  await machine.run(login, { stdin: key });
  await machine.run(['keys', 'switch-mode', 'live', '--profile', 'acme', '--yes']);
  await machine.run(['profiles', 'set', 'acme', '--exclude-from', file]);
};

it.each([
  ['a single message', single],
  ['a message by api', raw],
  ['a message by api in another notation', (number: number) => raw(number, phoneOf(number).replace('+1', '+1 '))],
])('refuses %s to a phone that the profile excludes', async (_, words) => {
  await excluding(2);
  const refused = await machine.run(words(2));
  expect([refused.code, asked(), refused.stderr]).toEqual([
    11,
    [],
    expect.stringContaining('whose phones the profile'),
  ]);
  expect((await machine.run(words(1))).code).toBe(0);
  expect(asked()).toEqual([phoneOf(1)]);
});

it('refuses a message by api that names its recipient twice, since a service may read either', async () => {
  await excluding(2);
  const stdin = `{"to":"${phoneOf(2)}","to":"${phoneOf(1)}","template":"welcome","params":[]}`;
  const words = ['api', '/api/public/messages/send-template', '--input', '-', ...own];
  const { code, stderr } = await machine.run(words, { stdin });
  expect([code, stderr]).toEqual([2, expect.stringContaining('the message has \\"to\\" twice')]);
  expect(machine.service.asked).toEqual([]);
});

it.each([
  ['has no params', { to: phoneOf(1), template: 'welcome' }],
  ['is for several people', { messages: [{ to: phoneOf(2), template: 'welcome', params: [] }] }],
  ['has another path', { to: phoneOf(2), template: 'welcome', params: [] }, 'send-template;v=1'],
  ['has another method', { to: phoneOf(1), template: 'welcome', params: [] }, 'send-template', 'PUT'],
])(
  'refuses a message by api whose recipient is not known: it %s',
  async (_, body, path = 'send-template', by = 'POST') => {
    const words = ['api', `/api/public/messages/${path}`, '-X', by, '--input', '-', ...own];
    const options = { stdin: JSON.stringify(body) };
    await excluding(2);
    const { code, stderr } = await machine.run(words, options);
    expect([code, stderr]).toEqual([11, expect.stringContaining('"code":"recipient-unknown"')]);
    expect(machine.service.asked).toEqual([]);
  },
);
