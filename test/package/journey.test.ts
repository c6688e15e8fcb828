import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { cleanEnv, temporaryHome } from '../support/bin.ts';

const project = inject('project');
const home = temporaryHome();
const env = cleanEnv(home.path, { PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` });
const people = join(home.path, 'people.csv');

/** Runs a program in the project; throws if it fails. */
async function run(program: string, ...argv: string[]): Promise<string> {
  return (await promisify(execFile)(program, argv, { cwd: project, env, timeout: 15_000 })).stdout;
}

const binary = join(project, 'node_modules/.bin/bizmsg');
const bizmsg = (...argv: string[]) => run(binary, ...argv);
const send = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042', '--profile', 'local'];
const installed = () => readdirSync(join(project, 'node_modules'), { recursive: true, encoding: 'utf8' }).sort();

/** A user's first commands after installation; the tests share one sandbox and run in order. */
describe(`the package on Node ${process.versions.node}`, { sequential: true }, () => {
  let before: readonly string[] = [];

  beforeAll(async () => {
    before = installed();
    writeFileSync(people, 'phone,name\n+12025550146,Grace\n+12025550147,Alan\n+12025550148,Edsger\n');
    await bizmsg(...send);
  });
  afterAll(async () => {
    await bizmsg('sandbox', 'stop');
    home.remove();
  });

  it('runs on this Node', async () => {
    expect(await run('node', '--version')).toBe(`${process.version}\n`);
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(join(project, 'node_modules/bizmsg/package.json'), 'utf8'));
    expect(await bizmsg('--version')).toBe(`${version}\n`);
  });

  it('prints its help', async () => {
    expect(await bizmsg('--help')).toContain('send-template');
    expect(await bizmsg('contacts', 'import', '--help')).toContain('--resend');
  });

  it('sends through the sandbox that it started', async () => {
    expect(await bizmsg(...send)).toMatch(/^msg_sandbox_\w+\n$/);
    expect(JSON.parse(await bizmsg('sandbox', 'status', '-o', 'json'))).toHaveLength(1);
  });

  it('imports the rows of a file', async () => {
    expect(await bizmsg('contacts', 'import', people, '--profile', 'local')).toContain('3 of 3 are contacts');
    expect(await bizmsg('contacts', 'list', '--profile', 'local')).toContain('Edsger\t');
  });

  it('receives an event', async () => {
    const listener = spawn(binary, ['webhooks', 'listen', '--port', '0', '--profile', 'local'], { cwd: project, env });
    onTestFinished(() => void listener.kill());
    expect(String(await once(listener.stdout, 'data'))).toContain('Ready');
    const event = once(listener.stdout, 'data');
    await bizmsg(...send);
    expect(String(await event)).toMatch(/ message\.\w+ /);
  });

  it('stores a profile and its key', async () => {
    const url = 'http://127.0.0.1:9';
    await run(
      'sh',
      '-c',
      `echo sk_test_abcd1234 | ${binary} login --no-check --profile acme --base-url ${url} --key-stdin`,
    );
    expect(await bizmsg('profiles', 'list')).toContain('acme');
  });

  it.each([
    ['bash', 'bizmsg.bash'],
    ['zsh', '_bizmsg'],
    ['fish', 'bizmsg.fish'],
    ['powershell', 'bizmsg.ps1'],
  ])('prints the completion script for %s', async (shell, file) => {
    const shipped = readFileSync(join(project, 'node_modules/bizmsg/completions', file), 'utf8');
    expect(await bizmsg('completion', shell)).toBe(shipped);
  });

  it('completes a word', async () => {
    const asked = String.raw`printf 'bizmsg\0send-\0' | ${binary} __complete zsh`;
    expect(await run('sh', '-c', asked)).toContain('send-template\t');
  });

  it.each([
    ['an ES module', 'module', `import { createSandbox } from 'bizmsg/sandbox';`],
    ['CommonJS', 'commonjs', `const { createSandbox } = require('bizmsg/sandbox');`],
  ])('can be imported as %s', async (_, type, line) => {
    expect(await run('node', `--input-type=${type}`, '-e', `${line} (async () => { ${use} })();`)).toBe(
      '200 accepted\n',
    );
  });

  it('does not write to its own folder', () => {
    expect(installed()).toEqual(before);
  });
});

const use = `
  const sandbox = createSandbox();
  const { url, env } = await sandbox.listen();
  const answer = await fetch(url + '/api/public/messages/send-template', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + env.BIZMSG_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+12025550101', template: 'welcome', params: [] }),
  });
  console.log(answer.status, sandbox.messages()[0].status);
  await sandbox.close();`;
