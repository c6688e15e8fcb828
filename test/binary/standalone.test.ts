import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { portOf } from '../../src/base/http-server.ts';
import { cleanEnv, temporaryHome } from '../support/bin.ts';
import { blocksIn } from '../support/docs.ts';

const standalone = process.env['STANDALONE'] ?? '';

/** Installs the binary below a new home, in a folder with a space; returns how to run it. */
function installed() {
  const home = temporaryHome();
  const path = join(home.path, 'my programs/bizmsg');
  mkdirSync(join(path, '..'));
  copyFileSync(standalone, path);
  const run = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    // Without Node in PATH.
    const given = { ...cleanEnv(home.path, env), PATH: '/bin:/usr/bin' };
    const options = { env: given, extendEnv: false, reject: false, cwd: home.path } as const;
    const { exitCode, stdout, stderr } = await execa(path, words, options);
    return { code: exitCode, stdout, stderr };
  };
  onTestFinished(async () => {
    await run(['sandbox', 'stop']);
    home.remove();
  });
  return { home: home.path, path, run };
}

describe.skipIf(standalone === '')('the standalone binary (skipped without STANDALONE, its path)', () => {
  it('sends to a sandbox that it starts itself, from a folder with a space', async () => {
    const { run } = installed();
    const sent = await run(['send-template', '+12025550101', 'welcome', '--profile', 'local', '-o', 'id']);
    expect([sent.code, sent.stdout]).toEqual([0, expect.stringMatching(/^msg_sandbox_/)]);
    expect((await run(['sandbox', 'messages', '-o', 'json'])).stdout).toContain(sent.stdout);
  });

  it('starts a sandbox again after its file was replaced', async () => {
    const { path, run } = installed();
    expect((await run(['sandbox', 'start', '--background'])).code).toBe(0);
    copyFileSync(standalone, `${path}.new`);
    renameSync(`${path}.new`, path);
    expect((await run(['sandbox', 'status', '-o', 'json'])).code).toBe(0);
    expect((await run(['sandbox', 'stop'])).code).toBe(0);
    const sent = await run(['send-template', '+12025550101', 'welcome', '--profile', 'local', '-o', 'id']);
    expect([sent.code, sent.stdout]).toEqual([0, expect.stringMatching(/^msg_sandbox_/)]);
  });

  it('serves the page, which it contains', async () => {
    const { run } = installed();
    await run(['sandbox', 'start', '--background']);
    const { stdout: link } = await run(['sandbox', 'open', '--print']);
    for (const name of ['page.js', 'page.css']) {
      const answer = await fetch(new URL(name, link));
      expect(await answer.text()).toBe(readFileSync(new URL(`../../dist/page/${name}`, import.meta.url), 'utf8'));
    }
  });

  it('contains the completion scripts, and completes', async () => {
    const { run, path } = installed();
    for (const [shell, name] of [
      ['bash', 'bizmsg.bash'],
      ['zsh', '_bizmsg'],
      ['fish', 'bizmsg.fish'],
      ['powershell', 'bizmsg.ps1'],
    ] as const) {
      const { stdout } = await run(['completion', shell]);
      expect(`${stdout}\n`).toBe(readFileSync(new URL(`../../completions/${name}`, import.meta.url), 'utf8'));
    }
    const completed = await execa(path, ['__complete', 'bash'], { input: 'bizmsg con\0con\0' });
    expect(completed.stdout).toContain('contacts');
  });

  it('reads no .env file of the folder in which it is run', async () => {
    const { home, run } = installed();
    writeFileSync(join(home, '.env'), 'BIZMSG_API_KEY=sk_test_foreign\nBIZMSG_BASE_URL=http://127.0.0.1:9\n');
    const { code, stderr } = await run(['contacts', 'list', '-o', 'json']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('no-profile')]);
  });

  it('is installed by two lines, only with the right checksum', async () => {
    const [lines = ''] = blocksIn('docs/scripting.md', 'Install without Node', 1);
    const folder = join(standalone, '..');
    let isDamaged = false;
    const server = createServer((request, response) => {
      const content = readFileSync(join(folder, basename(request.url ?? '')));
      response.end(isDamaged && request.url?.endsWith('x64') ? content.fill(0, 4_096, 4_100) : content);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const home = temporaryHome();
    onTestFinished(home.remove);
    mkdirSync(join(home.path, '.local/bin'), { recursive: true });
    const env = cleanEnv(home.path, { RELEASES: `http://127.0.0.1:${portOf(server)}` });
    const options = { env, extendEnv: false, reject: false, cwd: home.path } as const;
    isDamaged = true;
    expect((await execa('sh', ['-c', lines], options)).exitCode).toBe(1);
    isDamaged = false;
    const installing = await execa('sh', ['-c', lines], options);
    expect([installing.exitCode, installing.stdout]).toEqual([0, 'bizmsg-linux-x64: OK']);
    expect((await execa(join(home.path, '.local/bin/bizmsg'), ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
