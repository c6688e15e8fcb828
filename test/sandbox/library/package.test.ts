import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import * as library from 'bizmsg/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'bizmsg-library-'));

/** A user's project with this package as npm would install it, and only Node's types besides. */
beforeAll(() => {
  for (const folder of ['@types', 'bizmsg/dist']) mkdirSync(join(home, 'node_modules', folder), { recursive: true });
  cpSync(join(root, 'package.json'), join(home, 'node_modules/bizmsg/package.json'));
  cpSync(join(root, 'dist/sandbox'), join(home, 'node_modules/bizmsg/dist/sandbox'), { recursive: true });
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(join(root, 'node_modules', name), join(home, 'node_modules', name));
  for (const name of ['use.mts', 'use.cts']) writeFileSync(join(home, name), use);
});

afterAll(() => rmSync(home, { recursive: true }));

describe('the package', () => {
  it('exports one function', () => {
    expect(Object.keys(library)).toEqual(['createSandbox']);
  });

  it.each(['library.js', 'library.cjs'])('needs nothing but Node: %s', (name) => {
    const code = readFileSync(join(root, 'dist/sandbox', name), 'utf8');
    const needed = [...code.matchAll(/(?:\bfrom |\bimport ?\(?|\brequire\()(["'])([^"']+)\1/g)].map(([, , id]) => id);
    expect(needed.length).toBeGreaterThan(3);
    expect(needed.filter((id) => !id?.startsWith('node:'))).toEqual([]);
    expect(readdirSync(join(root, 'dist/sandbox')).sort()).toEqual(built);
  });

  it.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('has types for module %s with resolution %s', async (module, moduleResolution) => {
    const compilerOptions = { ...strictest, module, moduleResolution };
    const project = join(home, `tsconfig.${moduleResolution}.json`);
    writeFileSync(project, JSON.stringify({ compilerOptions, files: ['use.mts', 'use.cts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const said = await run(process.execPath, [tsc, '-p', project]).catch(({ stdout }: { stdout: string }) => stdout);
    expect(said).toMatchObject({ stdout: '' });
  });

  it.each([
    ['an ES module', 'module', `import { createSandbox } from 'bizmsg/sandbox';`],
    ['CommonJS', 'commonjs', `const { createSandbox } = require('bizmsg/sandbox');`],
  ])('works in %s, and keeps no process alive once closed', async (_, type, line) => {
    expect(await ran(type, `${line} (async () => { ${whole} })();`)).toBe('200 accepted\n');
  });

  it('keeps no process alive if it never listened, even if it is not closed', async () => {
    const script = `
      const { createSandbox } = require('bizmsg/sandbox');
      const sandbox = createSandbox();
      sandbox.trigger('message.delivered', { to: '+12025550103' });
      sandbox.answer({ path: '/' }).then(({ status }) => console.log(status));`;
    expect(await ran('commonjs', script)).toBe('401\n');
  });
});

const built = ['library.cjs', 'library.js', 'types'];

const strictest = {
  target: 'es2022',
  lib: ['es2022'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
} as const;

const use = `
import { createSandbox, type Sandbox, type SandboxEnv, type SandboxOptions } from 'bizmsg/sandbox';
const options: SandboxOptions = { seed: 1, plan: 'growth', clock: { at: new Date() } };
export async function use(sandbox: Sandbox = createSandbox(options)): Promise<string> {
  const { status, headers } = await sandbox.answer({ path: '/', headers: new Headers() });
  const server = await sandbox.listen();
  const env: SandboxEnv = server.env;
  Object.assign(process.env, env);
  sandbox.trigger('message.failed', { reason: { code: 'a', message: 'b' } });
  // @ts-expect-error: it has no such field
  sandbox.trigger('message.failed', { text: 'a' });
  sandbox.faults.add({ on: 'sendTemplate', effect: { kind: 'latency', ms: 5 }, times: 3 });
  // @ts-expect-error: there is no such plan
  sandbox.setPlan('pro');
  await sandbox.clock.advance('next-month');
  const [message] = sandbox.messages();
  await sandbox[Symbol.asyncDispose]();
  return [status, headers['link'], message?.sent_at].join();
}
`;

const whole = `
  const sandbox = createSandbox();
  const { url, env } = await sandbox.listen();
  sandbox.webhooks.add({ url: 'http://127.0.0.1:9/' });
  const answer = await fetch(url + '/api/public/messages/send-template', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + env.BIZMSG_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+12025550101', template: 'welcome', params: [] }),
  });
  console.log(answer.status, sandbox.messages()[0].status);
  await sandbox.clock.advance('10s');
  await sandbox.close();`;

/** Returns the output of a script after its process has ended. */
async function ran(type: string, script: string): Promise<string> {
  const { stdout } = await run(process.execPath, [`--input-type=${type}`, '-e', script], {
    cwd: home,
    timeout: 10_000,
  });
  return stdout;
}
