import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { deadPort } from '../client/servers.ts';
import { binary, cleanEnv, temporaryHome } from '../support/bin.ts';
import { testKey } from '../support/fake-service.ts';

const root = dirname(dirname(binary));

/** Copies the program; returns the source and cache of its send chunk. */
function copyProgram() {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const folder = join(home.path, 'program');
  mkdirSync(folder);
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const cli = join(folder, 'dist/cli');
  // Chunks of the previous build are still there, so the names are taken from the files that load them.
  const loadedBy = (file: string, chunk: RegExp) => chunk.exec(readFileSync(join(cli, file), 'utf8'))?.[0] ?? '';
  const frame = loadedBy('main.cjs', /chunk-frame-[\w-]{8}/);
  const name = loadedBy(`${frame}.body.cjs`, /chunk-send-[\w-]{8}/);
  const body = join(cli, `${name}.body.cjs`);
  return { home: home.path, bin: join(folder, 'bin/bizmsg.js'), body, cache: `${body}.cache` };
}

async function failure({ home, bin }: ReturnType<typeof copyProgram>): Promise<string> {
  const env = cleanEnv(home, { BIZMSG_BASE_URL: `http://127.0.0.1:${await deadPort()}`, BIZMSG_API_KEY: testKey });
  const words = [bin, 'send-template', '+12025550101', 'welcome', '--retries', '0'];
  return (await execa(process.execPath, words, { env, extendEnv: false, reject: false })).stderr;
}

it('ignores compiled code if the source has changed', async () => {
  const program = copyProgram();
  expect(await failure(program)).toContain('error: cannot connect to ');
  const source = readFileSync(program.body, 'latin1');
  // The length stays the same, because V8 compares only that.
  writeFileSync(program.body, source.replaceAll('cannot connect to', 'CANNOT CONNECT TO'), 'latin1');
  expect(await failure(program)).toContain('error: CANNOT CONNECT TO ');
});

it.each([
  ['missing', (cache: string) => rmSync(cache)],
  ['empty', (cache: string) => writeFileSync(cache, '')],
  ['truncated', (cache: string) => writeFileSync(cache, readFileSync(cache).subarray(0, -1_000))],
] as const)('runs without compiled code that is %s', async (_, change) => {
  const program = copyProgram();
  change(program.cache);
  expect(await failure(program)).toContain('error: cannot connect to ');
});
