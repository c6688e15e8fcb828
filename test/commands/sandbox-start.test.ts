import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { receiver } from '../sandbox/receiver.ts';
import { temporaryHome } from '../support/bin.ts';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';

const callNote = /^note: to call it: eval "\$\(bizmsg sandbox env --url http:\/\/127\.0\.0\.1:\d+\)"\n$/;

it('keeps its state in a folder, and the next start continues with it', async () => {
  const { home, data, start } = place();
  expect((await start()).code).toBe(0);
  const { keys } = savedIn(data);
  expect(keys.list).toHaveLength(2);
  expect((await start()).code).toBe(0);
  expect(savedIn(data).keys).toEqual(keys);
  expect((await cli(['sandbox', 'status', '-o', 'json'], { home })).stdout).toBe('[]\n');
});

it('changes its plan with --plan, and keeps it', async () => {
  const { data, start } = place();
  await start('--plan', 'starter');
  await start();
  expect(savedIn(data).plan).toMatchObject({ name: 'starter' });
  await start('--plan', 'growth');
  expect(savedIn(data).plan).toMatchObject({ name: 'growth' });
});

it('refuses --ephemeral together with --background', async () => {
  const { start } = place();
  const stderr = expect.stringContaining('--ephemeral and --background exclude each other');
  expect(await start('--ephemeral', '--background')).toMatchObject({ code: 2, stderr });
});

it('prints how to call it if it is not that of the profile local', async () => {
  const { start } = place();
  expect(await start('--ephemeral')).toMatchObject({ code: 0, stderr: expect.stringMatching(callNote) });
  expect(await start()).toMatchObject({ code: 0, stderr: '' });
});

describe('in the foreground on a terminal', () => {
  it('prints how to call it, then each request and event with the result of its delivery', async () => {
    const { url, run, end } = await foreground();
    const { url: hook } = await receiver((response) => response.writeHead(503).end());
    await run('contacts create --set phone=+12025550142 --profile local');
    await run(`sandbox set webhook=${hook}`);
    await run('contacts create --set phone=+12025550143 --profile local');
    await expect
      .poll(async () => (await run('sandbox log --type deliveries --columns state,last --no-header')).stdout)
      .toContain('waiting\t503\n');
    await run('contacts create --set name=Ada --profile local');
    const { code, stdout } = await end();
    const lines = stdout.replace(/\b(?:con_\w+|\d\d:\d\d:\d\d\.\d{3}|\d+ ms)/g, '…').split('\n');
    expect([code, ...lines]).toEqual([
      0,
      `Ready ${url} (press Ctrl-C to stop)`,
      'To see it in a browser:',
      expect.stringMatching(`^ {2}${url}/__sandbox/#t=[0-9a-f]{48}$`),
      'To call it from another terminal:',
      '  eval "$(bizmsg sandbox env)"',
      '',
      '…  POST  /api/public/contacts  201',
      '…  contact.created  …  no webhook',
      '…  POST  /api/public/contacts  201',
      `…  contact.created  …  → 503 in …  ${hook}  again at …`,
      expect.stringMatching(/^…  POST  \/api\/public\/contacts  400  /),
      `Stopped ${url}`,
      '',
    ]);
  });

  it('is the sandbox that all commands control whose environment names it', async () => {
    const { url, run, end } = await foreground(['--ephemeral']);
    const variables = JSON.parse((await run(`sandbox env --url ${url} -o json`)).stdout);
    const inShell = (words: string) => run(words, variables);
    await inShell('send-template +12025550142 welcome');
    expect((await inShell('sandbox log --type messages --columns to')).stdout).toBe('to\n+12025550142\n');
    expect((await inShell('sandbox open --print')).stdout).toContain(url);
    expect((await inShell('sandbox reset all')).code).toBe(0);
    expect((await inShell('sandbox log --type messages --columns to')).stdout).toBe('to\n');
    expect((await end()).stdout).toContain(`\n  eval "$(bizmsg sandbox env --url ${url})"\n`);
    const { code, stderr } = await inShell('sandbox reset all');
    expect([code, stderr]).toEqual([3, expect.stringContaining(`the sandbox at ${url}, which BIZMSG_BASE_URL names`)]);
  });

  it('prints only the address as ndjson', async () => {
    const { url, run, end } = await foreground(['-o', 'ndjson']);
    await run('contacts list --profile local');
    expect((await end()).stdout).toMatch(`{"type":"ready","url":"${url}","port":`);
  });
});

it.each([
  ['--url http://127.0.0.1:1', 3, 'no sandbox of this machine runs at http://127.0.0.1:1'],
  ['--url 4780', 2, '"4780" is not a URL'],
])('sandbox env %s is exit %i', async (words, code, reason) => {
  const ran = await cli(`sandbox env ${words}`.split(' '), { home: newHome() });
  expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(reason) });
});

/** Starts a sandbox in the foreground, on a wide terminal without colors. */
async function foreground(words: readonly string[] = []) {
  const home = temporaryHome();
  const stop = new AbortController();
  const run = (line: string, env?: Readonly<Record<string, string>>) => cli(line.split(' '), { home: home.path, env });
  const ended = cli(['sandbox', 'start', '--port', '0', '--no-color', ...words], {
    home: home.path,
    terminal: 200,
    signal: stop.signal,
  });
  const end = () => {
    stop.abort('SIGINT');
    return ended;
  };
  onTestFinished(async () => {
    await end();
    home.remove();
  });
  const address = async () => (await run('sandbox status -o tsv --columns url --no-header')).stdout.trim();
  await expect.poll(address).not.toBe('');
  return { url: await address(), run, end };
}

function place() {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const data = join(home.path, '.local/state/bizmsg/sandbox');
  const words = ['sandbox', 'start', '--port', '0', '--idle', '1ms'];
  return { home: home.path, data, start: (...more: string[]) => cli([...words, ...more], { home: home.path }) };
}

function savedIn(folder: string) {
  return JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'));
}
