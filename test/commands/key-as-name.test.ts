import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { openHostile } from '../support/fake-service.ts';
import { type Machine, openMachine } from './machine.ts';

const liveKey = 'sk_live_7Rw1Kc5NbY6uJe0SqMvA';
const bareKey = 'Zt5hWq8LpXc2Vn9BdK4m';
const [send, to] = ['send-template', '+12025550101'];
const raw = ['api', '/api/public/messages/send-template', '--input', '-'];
const message = (template: string) => JSON.stringify({ to, template, params: [] });

/** All files below the home, as one text. */
function kept({ home }: Pick<Machine, 'home'>): string {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return files.map((file) => readFileSync(file, 'latin1')).join('\n');
}

describe.each(['live', 'sandbox'])('with a %s key, a key is refused and neither printed, recorded nor sent', (mode) => {
  it.each([
    ['as the template', [send, to, liveKey], ''],
    ['as a part of the template', [send, to, `x-${liveKey}`], ''],
    ['as a param', [send, to, 'welcome', '-p', liveKey], ''],
    ['as the template in a dry run', [send, to, liveKey, '--dry-run'], ''],
    ['as the template in the body of api', raw, message(liveKey)],
  ])('%s', async (_, words, stdin) => {
    const machine = await openMachine();
    const { code, stdout, stderr } = await machine.run([...words, '--mode', mode], { stdin });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('contains a key');
    expect([stderr + kept(machine), machine.sent()]).toEqual([expect.not.stringContaining('7Rw1Kc5N'), 0]);
  });
});

it.each([
  ['as the template', [send, to, bareKey]],
  ['as the template in the body of api', raw],
  ['as a param of a batch', ['send-batch', 'welcome', 'orders.csv', '-p', bareKey]],
  ['as the template of a batch', ['send-batch', bareKey, 'orders.csv']],
  ['as the name of a file', ['send-batch', 'welcome', `${bareKey}.csv`]],
  ['as the name of a folder', ['send-batch', 'welcome', `${bareKey}/orders.csv`]],
  ['as the name of a batch', ['send-batch', 'welcome', 'orders.csv', '--batch', bareKey]],
  ['in --set', ['contacts', 'import', 'orders.csv', '--set', `tok=${bareKey}`]],
])('a key without a known prefix is refused if it is stored on this machine, %s', async (_, words) => {
  const { home, env, seen } = await openHostile((__, ___, response) => response.end('{"message_id":"msg_1"}'));
  mkdirSync(join(home, bareKey));
  for (const name of ['orders.csv', `${bareKey}.csv`, `${bareKey}/orders.csv`])
    writeFileSync(join(home, name), 'phone,name\n+12025550101,Ada\n');
  const argv = words.map((word) => (word.endsWith('.csv') ? join(home, word) : word));
  const caller = { home, env: { ...env, BIZMSG_API_KEY: bareKey }, stdin: message(bareKey) };
  const { code, stdout, stderr } = await cli(argv, caller);
  expect([code, stdout, stderr, seen]).toEqual([2, '', expect.stringContaining('contains a key'), []]);
  expect(stderr + kept({ home })).not.toContain('Zt5hWq8L');
});

it('does not remember a template whose name the service made of a key', async () => {
  const service = await openHostile((_, __, response) =>
    response.end(JSON.stringify({ data: [{ name: liveKey }, { name: bareKey }, { name: 'welcome' }] })),
  );
  const env = { ...service.env, BIZMSG_API_KEY: bareKey };
  await cli(['templates', 'list'], { home: service.home, env });
  const written = kept(service);
  expect(written).toContain('"welcome"');
  expect(written).not.toMatch(/7Rw1Kc5N|Zt5hWq8L/);
});
