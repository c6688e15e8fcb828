import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { deadPort } from '../client/servers.ts';
import { bin, binary, cleanEnv, run as runProgram } from '../support/bin.ts';
import { cli, type Ran } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';
import { posixOnly } from '../support/system.ts';

posixOnly('they run a POSIX shell');

let home = '';
beforeEach(() => {
  home = newHome();
});

const { PATH = '' } = process.env;
const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  cli(['sandbox', 'exec', ...argv], { home, env: { PATH, ...env } });
const shell = (script: string, env?: Readonly<Record<string, string>>) => run(['--', 'sh', '-c', script], env);
const lines = ({ stdout }: Ran) => stdout.trimEnd().split('\n');

describe('the command of sandbox exec', () => {
  it('gets the address, keys and limits of its sandbox, no other credentials, and the rest of the environment unchanged', async () => {
    const outside = { BIZMSG_PROFILE: 'acme', BIZMSG_TEAM: 'postgres://x', BIZMSG_BASE_URL: 'https://api.example.com' };
    const { PATH, ...others } = cleanEnv(home, { FOO: 'bär\n' });
    const words = ['--', process.execPath, '-p', 'JSON.stringify(process.env)'];
    const { stdout } = await run(words, { FOO: 'bär\n', ...outside });
    expect(JSON.parse(stdout)).toEqual({
      ...others,
      PATH: expect.stringMatching(new RegExp(`/bin-\\w{6}:${PATH}$`)),
      BIZMSG_STATE_DIR: expect.stringMatching(/\/bizmsg-\w{6}$/),
      BIZMSG_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      BIZMSG_API_KEY: expect.stringMatching(/^sk_test_local-/),
      BIZMSG_WEBHOOK_SECRET: expect.stringMatching(/^whsec_/),
      BIZMSG_LOCAL_ONLY: '1',
    });
  });

  it('needs no home that can be written, and prints no note about the simulation', async () => {
    const words = ['--', 'bizmsg', 'send-template', '+12025550101', 'welcome'];
    const { code, stdout } = await bin(['sandbox', 'exec', ...words], { home: '/proc/nowhere' });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^msg_sandbox_/)]);
    expect(await run(words)).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([[['--']], [[]]])('gets its arguments unchanged after %j', async (before) => {
    const words = ['', '-o', 'json', '--profile', 'x', '--help', '--', "it's", '$HOME', '*'];
    const script = 'JSON.stringify(process.argv.slice(1))';
    const { stdout } = await run([...before, process.execPath, '-p', script, '--', ...words]);
    expect(JSON.parse(stdout)).toEqual(words);
  });

  it('gets the three standard streams', async () => {
    const script = 'cat; echo fault >&2';
    expect(await bin(['sandbox', 'exec', '--', 'sh', '-c', script], { home, input: 'text\n' })).toEqual({
      code: 0,
      stdout: 'text\n',
      stderr: 'fault\n',
    });
  });

  it.each([
    ['exit 0', 0],
    ['exit 3', 3],
    ['exit 255', 255],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
    ['kill -SEGV $$', 139],
  ])('that ends with %s determines the exit code: %i', async (script, code) => {
    expect(await shell(script)).toEqual({ code, stdout: '', stderr: '' });
  });

  // The same codes as env, xargs, timeout and shells; 3 could be the command's own.
  it.each([
    ['no-such-command', 127, 'there is no command "no-such-command"\n  check its spelling and PATH;'],
    ['/etc/passwd', 126, '"/etc/passwd" cannot be run: permission denied'],
    ['npm test', 127, "sh -c '…' runs a shell command line"],
  ])('that cannot start because it is %s exits %i', async (name, code, message) => {
    expect(await run(['--', name])).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) });
  });

  it.each([
    [[], 'no command is given'],
    [['--'], 'no command is given'],
    [['--', ''], 'the command is empty'],
    [['-o', 'json', '--', 'true'], 'does not accept --output'],
    [['--profile', 'x', '--', 'true'], 'does not accept --profile'],
    [['--dry-run', '--', 'true'], 'does not accept --dry-run'],
    [['--webhook', 'http://example.com/x', '--', 'true'], 'example.com is not this machine'],
    [['--webhook', 'hooks', '--', 'true'], 'hooks is not this machine'],
    [['--webhook', 'ftp://127.0.0.1/x', '--', 'true'], 'is not an address to forward to'],
  ])('is not started by %j: %s', async (words, message) => {
    const { code, stdout, stderr } = await run(words);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });
});

describe('inside sandbox exec', () => {
  it('bizmsg calls its sandbox, with and without --profile local, and in both modes', async () => {
    const machine = await serveLocal(home);
    const send = 'bizmsg send-template +12025550101 welcome';
    const sent = await shell(
      `${send} && ${send} --profile local && bizmsg sandbox set live=on && ${send} --profile local --mode live && bizmsg sandbox status --columns messages --no-header`,
    );
    expect([sent.code, lines(sent).at(-1), machine.messages()]).toEqual([0, '3', []]);
  });

  it('commands about sandboxes apply to this sandbox only', async () => {
    await serveLocal(home);
    const ran = await shell(
      'echo "$BIZMSG_BASE_URL"; bizmsg sandbox status --columns url --no-header; bizmsg sandbox env; bizmsg whoami --profile local -o json',
    );
    const [url = '', shown, ...env] = lines(ran);
    expect([ran.code, shown, env[0]]).toEqual([0, url, `export BIZMSG_BASE_URL=${url}`]);
    expect(env.at(-1)).toContain(`"address":"${url}"`);
  });

  it('sandbox stop stops this sandbox only; the command continues without one', async () => {
    const machine = await serveLocal(home);
    const ran = await shell(
      'bizmsg sandbox stop; bizmsg contacts list --profile local; echo $?; bizmsg contacts list; echo $?',
    );
    expect([ran.code, lines(ran).slice(1)]).toEqual([0, ['3', '3']]);
    expect(ran.stderr).toMatch(/the sandbox of this command was stopped[^]*has ended/);
    const { stdout } = await bin(['contacts', 'list', '--profile', 'local', '-o', 'id'], { home });
    expect(stdout.split('\n')).toHaveLength(machine.contacts().length + 1);
  });

  it('bizmsg works below a folder with spaces and quotes, also if installed there', async () => {
    const odd = join(home, `an "odd" folder's $name`);
    for (const part of ['bin', 'dist', 'package.json']) {
      cpSync(join(binary, '../..', part), join(odd, part), { recursive: true });
    }
    symlinkSync(join(binary, '../../node_modules'), join(odd, 'node_modules'));
    const inside = 'cd /; command -v bizmsg; bizmsg contacts list --profile local -o id';
    const words = [process.execPath, join(odd, 'bin/bizmsg.js'), 'sandbox', 'exec', '--', 'sh', '-c', inside];
    const ran = await runProgram(words, { home, env: { TMPDIR: odd }, cwd: odd });
    const [path = '', id] = ran.stdout.split('\n');
    expect([path.startsWith(join(odd, 'bizmsg-')), id]).toEqual([true, 'con_sandbox_1']);
  });

  it('a nested sandbox exec has its own sandbox and leaves the outer one unchanged', async () => {
    const url = 'echo "$BIZMSG_BASE_URL"';
    const ran = await shell(
      `${url}; bizmsg sandbox exec -- sh -c '${url}; bizmsg send-template +12025550101 welcome --profile local; echo "$PATH"'; bizmsg sandbox status --columns url,messages --no-header; echo "$PATH"`,
    );
    const [outer = '', inner = '', , innerPath, status, path] = lines(ran);
    expect([ran.code, inner === outer, status]).toEqual([0, false, `${outer}\t0`]);
    expect(innerPath?.endsWith(path ?? '-')).toBe(true);
  });
});

describe('--webhook', () => {
  /** Sends a message, reads events until one belongs to it, and prints that event. */
  const receiver = (port: number) => `
    const { createServer } = require('node:http');
    const { execFile } = require('node:child_process');
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () => {
        response.end();
        console.log(JSON.stringify({ headers: request.headers, url: request.url, body, secret: process.env.BIZMSG_WEBHOOK_SECRET }));
        process.exit();
      });
    });
    execFile('bizmsg', ['send-template', '+12025550101', 'welcome'], () => server.listen(${port}, '127.0.0.1'));`;

  it.each(['127.0.0.1', 'localhost', 'app.localhost'])(
    'sends signed events to a server at %s, including events from before it listened',
    async (host) => {
      const port = await deadPort();
      const words = ['--webhook', `http://${host}:${port}/hooks`, '--', process.execPath, '-e', receiver(port)];
      const { code, stdout } = await run(words);
      const got: { headers: Record<string, string>; url: string; body: string; secret: string } = JSON.parse(stdout);
      expect([code, got.url]).toEqual([0, '/hooks']);
      expect(new Webhook(got.secret).verify(got.body, got.headers)).toMatchObject({
        type: expect.stringMatching(/^message\./),
      });
    },
  );

  it("reports a server that never answered, and keeps the command's exit code", async () => {
    const port = await deadPort();
    // Node warns of a leak once eleven tries have left a listener on one signal.
    const ran = await run(['--webhook', `http://127.0.0.1:${port}/`, 'sh', '-c', 'sleep 1.5; exit 4']);
    const stderr = `note: no server listened at 127.0.0.1:${port}, so it got no events\n`;
    expect(ran).toEqual({ code: 4, stdout: '', stderr });
  });
});
