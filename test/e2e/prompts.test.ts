import { describe, expect, it } from 'vitest';
import { access } from '../commands/access-rig.ts';
import { storeText } from '../commands/profile-store.ts';
import { type Answer, talk } from '../support/conversation.ts';
import { newHome } from '../support/fake-service.ts';
import { newWorld } from '../support/world.ts';

const clear = '\u0015';

/** A machine without profiles, beside a sandbox; and with the profile acme. */
async function open() {
  const { home, url, sandbox } = await newWorld();
  const { profiles, run } = access(home);
  const { sandbox: key, live } = sandbox.keys;
  const ask = (line: string, answers: readonly Answer[]) => talk(line.split(' '), answers, { home });
  const add = (text = key) => run(`login --no-check --profile acme --base-url ${url} --key-stdin`, text);
  return { home, url, sandbox, key, live, profiles, ask, add };
}

describe('login asks', () => {
  it('for another key if the first one is not a key, or is refused by the service', async () => {
    const { url, key, profiles, ask } = await open();
    const ran = await ask('login', [
      [/Name of the profile/, 'acme'],
      [/Base URL of the API/, url],
      [/API key/, 'abc'],
      [/the key begins with neither sk_test_ nor sk_live_/, `${clear}sk_test_local-wrong-wrong`],
      [/✔[^]*API key ?$/, key],
      /❯ growth · 300 requests a minute/,
    ]);
    expect([ran.code, ran.stderr.match(/account settings/g)?.length]).toEqual([0, 1]);
    expect(ran.stderr).toContain('401 Unauthorized');
    expect(ran.raw + ran.stderr + ran.stdout).not.toMatch(new RegExp(`wrong-wrong|${key.slice(-12)}`));
    expect(await profiles()).toMatchObject([{ name: 'acme', base_url: url, plan: 'growth' }]);
  });

  it('for another address if the key does not belong there', async () => {
    const { url, key, profiles, ask } = await open();
    const answers: readonly Answer[] = [
      [/Base URL of the API/, 'http://127.0.0.1:1'],
      [/API key/, key],
      [/Base URL of the API \(http:\/\/127\.0\.0\.1:1\)/, url],
      /❯ starter/,
    ];
    const ran = await ask('login --profile acme', answers);
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('no sandbox runs at http://127.0.0.1:1')]);
    expect(await profiles()).toMatchObject([{ base_url: url, plan: 'starter' }]);
  });

  it.each(['live', 'sandbox'])('whether to use a live key now, and then the mode is %s', async (mode) => {
    const { live, profiles, ask, add } = await open();
    await add();
    const question = /Real messages will be sent with the live key of acme\. Use it now\?/;
    const answers: readonly Answer[] = [
      [/API key/, live],
      [question, mode === 'live' ? 'y' : 'n'],
    ];
    const ran = await ask('login --no-check --profile acme', answers);
    expect([ran.code, ran.stderr.includes('bizmsg keys switch-mode live')]).toEqual([0, mode === 'sandbox']);
    expect(await profiles()).toMatchObject([{ mode, live_key: expect.any(String) }]);
  });
});

it.each([
  ['n', 11, 'sandbox'],
  ['', 11, 'sandbox'],
  ['y', 0, 'live'],
])('keys switch-mode live, answered with "%s", exits %i with mode %s', async (answer, code, mode) => {
  const { live, profiles, ask, add } = await open();
  await add();
  await add(live);
  const ran = await ask('keys switch-mode live', [[/Real messages will be sent. Use the live key of acme\?/, answer]]);
  // A check mark would look like a yes.
  expect([ran.code, ran.asked.includes('✔')]).toEqual([code, false]);
  expect(await profiles()).toMatchObject([{ mode }]);
});

it('send-template asks for each variable of the chosen template, and sends nothing if declined', async () => {
  const { sandbox, ask, add } = await open();
  await add();
  const ran = await ask('send-template +12025550101', [
    /❯ order_update/,
    [/\{\{1\}\} name/, ''],
    [/the value is empty/, 'Ada'],
    [/\{\{2\}\} order/, 'A-1042'],
    [/Send it\?/, 'n'],
  ]);
  expect([ran.code, sandbox.messages()]).toEqual([11, []]);
  expect(ran.stderr).toContain('Hello Ada, your order A-1042');
});

it('a name of a profile with escape codes is shown without them', async () => {
  const home = newHome();
  const name = 'a\u001b[31mb\u009b2J\u202e';
  const profile = { baseUrl: 'https://api.example.com', mode: 'sandbox', keys: { live: 'sk_live_0123456789abcdef' } };
  storeText(home, JSON.stringify({ version: 1, current: name, profiles: { [name]: profile } }));
  for (const [line, question] of [
    ['keys switch-mode live', /Use the live key of a.*\?/],
    ['logout', /Remove .*\?/],
  ] as const) {
    const argv = line === 'logout' ? ['logout', name] : line.split(' ');
    const ran = await talk(argv, [[question, 'n']], { home });
    expect([ran.code, /\[31m|\u009b|\u202e/.exec(ran.raw + ran.stderr)]).toEqual([11, null]);
  }
});
