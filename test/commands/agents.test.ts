import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { storeAcme } from './profile-store.ts';

const [live, sandbox] = ['sk_live_0123456789abcdef', 'sk_test_0123456789abcdef'];
/** Nothing answers there. */
const elsewhere = 'https://api.invalid';
const agent = { CLAUDECODE: '1' };

function run(words: readonly string[], env: Readonly<Record<string, string>>, home = newHome()) {
  writeFileSync(join(home, 'people.csv'), 'phone\n+12025550141\n');
  const file = words.map((word) => (word === 'people.csv' ? join(home, word) : word));
  return cli([...file, '--retries', '0'], { home, env });
}

const send = ['send-template', '+12025550141', 'welcome'];
const batch = 'send-batch welcome people.csv --batch a --at-most 1 --rate none --no-memory'.split(' ');

it.each([
  ['a message', send],
  ['a batch', batch],
  ['an import', 'contacts import people.csv --at-most 1 --rate none'.split(' ')],
  ['a contact', ['contacts', 'create', '--set', 'phone=+12025550141']],
  ['a request', ['api', '/api/public/contacts', '-f', 'phone=+12025550141']],
])('an agent may not send %s with a live key', async (_, words) => {
  const { code, stderr } = await run(words, { ...callerOf(elsewhere, live), ...agent });
  expect(stderr).toContain('an AI agent runs this command (CLAUDECODE is set), and the key is live');
  expect(code).toBe(11);
});

it('knows an agent by its variable', async () => {
  const names = ['AI_AGENT', 'CURSOR_AGENT', 'GEMINI_CLI', 'CODEX_SANDBOX', 'CLAUDE_CODE_ENTRYPOINT', 'OPENCODE'];
  for (const name of names) {
    const { code, stderr } = await run(send, { ...callerOf(elsewhere, live), [name]: 'x' });
    expect([code, stderr]).toEqual([11, expect.stringContaining(`(${name} is set)`)]);
  }
});

it.each([
  ['reads something', ['templates', 'list'], live, agent],
  ['has a sandbox key', send, sandbox, agent],
  ['is a person', send, live, {}],
  ['has an empty variable', send, live, { CLAUDECODE: '' }],
  ['has a variable that is 0', send, live, { CLAUDECODE: '0' }],
  ['calls this machine', send, live, { ...agent, BIZMSG_BASE_URL: 'http://127.0.0.1:9' }],
])('does not stop who %s', async (_, words, key, env) => {
  const { code, stderr } = await run(words, { ...callerOf(elsewhere, key), ...env });
  expect(stderr).not.toContain('an AI agent');
  expect(code).toBe(9);
});

it('is allowed by a person only', async () => {
  const home = newHome();
  storeAcme(home, { baseUrl: elsewhere, key: live });
  const allow = ['profiles', 'set', 'acme', '--agents', 'live'];
  const byAgent = await cli(allow, { home, env: agent });
  expect([byAgent.code, byAgent.stderr]).toEqual([11, expect.stringContaining('only a person may allow this')]);
  const refused = await run([...send, '--profile', 'acme'], agent, home);
  expect([refused.code, refused.stderr]).toEqual([11, expect.stringContaining('profiles set acme --agents live')]);
  await cli(allow, { home });
  expect((await run([...send, '--profile', 'acme'], agent, home)).code).toBe(9);
  await cli(['profiles', 'set', 'acme', '--agents', 'none'], { home, env: agent });
  expect((await run([...send, '--profile', 'acme'], agent, home)).code).toBe(11);
});

it('does not lift what a person has excluded', async () => {
  const home = newHome();
  storeAcme(home, { baseUrl: elsewhere, key: live });
  const file = join(home, 'list.csv');
  writeFileSync(file, 'phone\n');
  const set = (value: string, env = {}) => cli(['profiles', 'set', 'acme', '--exclude-from', value], { home, env });
  expect((await set(file, agent)).code).toBe(0);
  expect((await set('none', agent)).code).toBe(11);
  expect((await set('none')).code).toBe(0);
});

it('adds opt-outs, and removes none', async () => {
  const home = newHome();
  const env = { ...callerOf(elsewhere, live), ...agent };
  expect((await cli(['opt-outs', 'add', '+12025550101'], { home, env })).code).toBe(0);
  expect((await cli(['opt-outs', 'remove', '+12025550101'], { home, env })).code).toBe(11);
});
