import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { announced } from '../../src/contract/endpoints.ts';
import { exitCodes } from '../../src/errors.ts';
import { tree } from '../../src/commands/index.ts';
import { cli } from '../support/cli.ts';
import { commands } from '../support/commands.ts';
import { newHome } from '../support/hostile.ts';
import { serveLocal } from '../support/local.ts';
import { words } from '../support/words.ts';
import { delivery, journalIn } from '../webhooks/rig.ts';
import { secret as webhookSecret, signed } from './webhooks-rig.ts';

const run = (argv: readonly string[]) => cli(argv, { home: newHome() });

describe('--help', () => {
  it.each(commands)('of $name says how it is used, on lines of 80 columns', async ({ name, command }) => {
    const { code, stdout, stderr } = await run([...name.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(command.summary);
    expect(stdout).toContain(`\nUsage: bizmsg ${name}`);
    expect(command.examples.filter((example) => !stdout.includes(`\n  bizmsg ${example}\n`))).toEqual([]);
    expect(
      stdout.split('\n').filter((line) => line.length > 80 && !/^ {2}bizmsg /.test(line) && line.startsWith(' ')),
    ).toEqual([]);
  });

  it.each(commands)('of $name is the same with -h and with help', async ({ name }) => {
    const [long, short, topic] = await Promise.all([
      run([...name.split(' '), '--help']),
      run(['-h', ...name.split(' ')]),
      run(['help', ...name.split(' ')]),
    ]);
    expect([short, topic]).toEqual([long, long]);
  });

  it.each(tree.children.filter(({ kind }) => kind === 'group').map(({ name }) => name))(
    'of the group %s names its commands',
    async (name) => {
      const { code, stdout } = await run([name, '--help']);
      expect(code).toBe(0);
      for (const named of commands.filter((one) => one.name.startsWith(`${name} `))) {
        expect(stdout).toContain(`  ${named.name.split(' ')[1]}`);
      }
    },
  );

  it('of the whole names every command, and comes without any word too', async () => {
    const [asked, bare] = [await run(['--help']), await run([])];
    expect([asked.code, bare]).toEqual([0, asked]);
    expect(tree.children.filter(({ name }) => !asked.stdout.includes(`\n  ${name}`))).toEqual([]);
  });

  it.each(commands)('of $name: its summary is a phrase, and it has an example', ({ command }) => {
    expect(command.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(command.examples.length).toBeGreaterThan(0);
  });
});

describe('help', () => {
  it.each(Object.values(exitCodes))('exit-codes explains %i', async (code) => {
    expect((await run(['help', 'exit-codes'])).stdout).toMatch(new RegExp(`\\b${code} {2,}[a-z]`));
  });

  it('announced lists what the API announces', async () => {
    const { stdout } = await run(['help', 'announced']);
    expect(announced.flatMap(({ what }) => what).filter((one) => !stdout.includes(one))).toEqual([]);
  });

  it.each(['environment', 'output'])('%s is a topic', async (topic) => {
    const { code, stdout } = await run(['help', topic]);
    expect([code, stdout.length > 200]).toEqual([0, true]);
  });

  it.each([['nowhere'], ['contacts', 'nowhere']])('of %s is exit 2', async (...path) => {
    const { code, stdout } = await run(['help', ...path]);
    expect([code, stdout]).toEqual([2, '']);
  });
});

/** Why an example is parsed and not run. */
const notRun: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^sandbox start/, 'it starts a server'],
  [/^webhooks listen/, 'it goes on until Ctrl-C'],
  [/^sandbox exec .*-- npm/, 'it runs the tests of the folder that it stands in'],
  [/^webhooks expect .*-- npm/, 'the same'],
  [/^webhooks (show|replay|expect) e1/, 'it names an event that only one machine has'],
  [/^webhooks .*(\.http|body\.json --)/, 'it names a file'],
  [/^webhooks replay/, 'it sends to somebody who is not there'],
  [/^runs (show|forget) /, 'it names a run that only one machine has'],
  [/^sandbox keys revoke/, 'it names a key that only one sandbox has'],
  [/^login/, 'it asks on a terminal, or calls a service that is not there'],
  [/^keys set (?!.*--key-stdin)/, 'it asks on a terminal'],
];
const examples = commands.flatMap(({ name, command }) => command.examples.map((example) => ({ name, example })));
const runs = examples.filter(({ example }) => !notRun.some(([pattern]) => pattern.test(example)));

describe('the example', () => {
  it.each(examples)('$example can be read', async ({ name, example }) => {
    for (const part of piped(example)) {
      const line = words(part);
      const end = line.includes('--') ? line.indexOf('--') : line.length;
      const { code, stderr } = await run(line.toSpliced(end, 0, '--help'));
      expect([code, stderr]).toEqual([0, '']);
    }
    expect(example.startsWith(name)).toBe(true);
  });

  it.each(runs)('$example runs as it stands', async ({ name, example }) => {
    const home = newHome();
    if (name !== 'profiles add') addAcme(home);
    // So that no list is empty.
    await (await serveLocal(home)).answer({ method: 'GET', target: '/', headers: {}, body: '' });
    await cli(words('templates list --profile local'), { home });
    await cli(words('sandbox fault add --on events --drop'), { home });
    await cli(words('sandbox webhooks add http://127.0.0.1:3000/hooks'), { home });
    await cli(words('contacts create --set phone=+12025550119 --profile local'), { home });
    addEvent(home);
    enterWithFiles(home);
    if (name === 'runs list') await cli(words('contacts import people.csv --profile local'), { home });
    let stdin = name === 'sandbox seed' ? '{"contacts":[{"phone":"+12025550145"}]}' : 'sk_test_4f9Qm2ZpL8xVt3Hd\n';
    for (const part of piped(example)) {
      const { code, stdout, stderr } = await cli(words(part), { home, stdin });
      expect([code, stderr.includes('error')]).toEqual([0, false]);
      expect(stdout).not.toBe('');
      stdin = stdout;
    }
  });
});

/** The command lines of an example, each of which reads what the one before it prints. */
function piped(example: string): readonly string[] {
  return example.split(' | bizmsg ');
}

/** Stands where the files are of which examples speak, until the test is over. */
function enterWithFiles(home: string): void {
  const before = process.cwd();
  process.chdir(home);
  onTestFinished(() => process.chdir(before));
  writeFileSync('people.csv', 'phone,name\n+12025550146,Ada\n+12025550147,Alan\n');
  writeFileSync('crm.csv', 'Mobile,name,tags\n(202) 555-0146,Ada,vip;lead\n(202) 555-0147,Alan,\n');
  writeFileSync('orders.csv', 'phone,name,order\n+12025550146,Ada,A-1042\n+12025550147,Alan,A-1043\n');
}

/** What a listener has received and could not send on. */
function addEvent(home: string): void {
  const journal = journalIn(join(home, '.local/state/bizmsg'));
  const body = '{"type":"message.read"}';
  const event = journal.received(delivery(body, { headers: signed(body, { by: webhookSecret }) }));
  journal.forwarded({ event: event.id, url: 'http://127.0.0.1:9/', ms: 1, error: 'connection refused' });
}

function addAcme(home: string): void {
  const keys = { sandbox: 'sk_test_4f9Qm2ZpL8xVt3Hd', live: 'sk_live_7Rw1Kc5NbY6uJe0S' };
  const acme = { baseUrl: 'https://api.example.com', mode: 'sandbox', keys, webhookSecret };
  const folder = join(home, '.config/bizmsg');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const store = { version: 1, current: 'acme', profiles: { acme } };
  writeFileSync(join(folder, 'profiles.json'), JSON.stringify(store), { mode: 0o600 });
}
