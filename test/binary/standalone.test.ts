import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { portOf } from '../../src/base/http-server.ts';
import { cleanEnv, temporaryHome } from '../support/bin.ts';
import { blocksIn } from '../support/docs.ts';

const standalone = process.env['STANDALONE'] ?? '';

/** A new home, and how to run the binary in it, from a folder with a space and without Node in PATH. */
function installed() {
  const home = temporaryHome();
  const path = join(home.path, 'my programs/bizmsg');
  mkdirSync(dirname(path));
  copyFileSync(standalone, path);
  const run = async (words: readonly string[], input = '') => {
    const env = { ...cleanEnv(home.path), PATH: '/bin:/usr/bin' };
    const options = { env, extendEnv: false, reject: false, cwd: home.path, input } as const;
    const { exitCode, stdout, stderr } = await execa(path, words, options);
    return { code: exitCode, stdout, stderr };
  };
  onTestFinished(async () => {
    await run(['sandbox', 'stop']);
    home.remove();
  });
  return { home: home.path, run };
}

describe.skipIf(standalone === '')('the standalone binary (skipped without STANDALONE, its path)', () => {
  it('sends to a sandbox that it starts itself, and serves its page', async () => {
    const { run } = installed();
    const sent = await run(['send-template', '+12025550101', 'welcome', '--profile', 'local', '-o', 'id']);
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^msg_sandbox_/) });
    const { stdout: link } = await run(['sandbox', 'open', '--print']);
    const page = await fetch(new URL('page.js', link));
    expect(await page.text()).toBe(readFileSync(new URL('../../dist/page/page.js', import.meta.url), 'utf8'));
  });

  it('imports a file', async () => {
    const { home, run } = installed();
    writeFileSync(join(home, 'people.csv'), 'phone\n+12025550146\n');
    expect((await run(['contacts', 'import', 'people.csv', '--profile', 'local'])).code).toBe(0);
  });

  it('contains the completion scripts, and completes', async () => {
    const { run } = installed();
    const script = readFileSync(new URL('../../completions/_bizmsg', import.meta.url), 'utf8');
    expect(`${(await run(['completion', 'zsh'])).stdout}\n`).toBe(script);
    expect((await run(['__complete', 'bash'], 'bizmsg con\0con\0')).stdout).toContain('contacts');
  });

  it('reads no .env file of the folder in which it is run', async () => {
    const { home, run } = installed();
    writeFileSync(join(home, '.env'), 'BIZMSG_API_KEY=sk_test_foreign\nBIZMSG_BASE_URL=http://127.0.0.1:9\n');
    expect(await run(['contacts', 'list'])).toMatchObject({ code: 3, stderr: expect.stringContaining('no profile') });
  });

  it.each([
    ['installed', 'right', 0],
    ['not installed', 'wrong', 1],
  ])('is %s by the lines of the docs if its checksum is %s', async (_, checksum, code) => {
    const server = createServer((request, response) => {
      const content = readFileSync(join(dirname(standalone), basename(request.url ?? '')));
      response.end(checksum === 'wrong' && request.url?.endsWith('x64') ? content.fill(0, 4_096, 4_100) : content);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { home } = installed();
    mkdirSync(join(home, '.local/bin'), { recursive: true });
    const env = cleanEnv(home, { RELEASES: `http://127.0.0.1:${portOf(server)}` });
    const [lines = ''] = blocksIn('docs/scripting.md', 'Install without Node', 1);
    const options = { env, extendEnv: false, reject: false, cwd: home } as const;
    expect((await execa('sh', ['-c', lines], options)).exitCode).toBe(code);
  });
});
