import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { deadPort } from '../client/servers.ts';
import { binary, cleanEnv, temporaryHome } from '../support/bin.ts';
import { testKey } from '../support/fake-service.ts';
import { posixOnly } from '../support/system.ts';

posixOnly('a folder has no mode');

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
  return { home: home.path, bin: join(folder, 'bin/bizmsg.js'), cli, body, cache: `${body}.cache` };
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

/** A copy that was built with another version of V8, and what its user has of compiled code. */
function copyForOtherV8() {
  const program = copyProgram();
  const { cli, home } = program;
  for (const name of readdirSync(cli).filter((name) => /^(?:chunk-|complete)(?!.*body).*\.cjs$/.test(name)))
    writeFileSync(
      join(cli, name),
      readFileSync(join(cli, name), 'latin1').replace(/'[\d.]+ \w+'/, "'1.2.3.4 none'"),
      'latin1',
    );
  const all = join(home, '.cache/bizmsg/code');
  const files = () => (existsSync(all) ? readdirSync(all, { recursive: true, encoding: 'utf8' }).toSorted() : []);
  return { program, all, files, caches: () => files().filter((name) => name.endsWith('.cache')) };
}

it('keeps compiled code for another V8 once for each command, for its user alone', async () => {
  const { program, all, files, caches } = copyForOtherV8();
  expect(await failure(program)).toContain('error: cannot connect to ');
  const [first, kept] = [files(), caches()];
  expect(kept.length).toBeGreaterThan(0);
  expect(first.map((name) => statSync(join(all, name)).mode & 0o77)).toEqual(first.map(() => 0));
  expect(kept.filter((name) => readFileSync(join(all, name)).includes(testKey))).toEqual([]);
  const times = () => kept.map((name) => statSync(join(all, name)).mtimeMs);
  const before = times();
  await failure(program);
  expect([files(), times()]).toEqual([first, before]);
  const env = cleanEnv(program.home, {});
  await execa(process.execPath, [program.bin, 'profiles', 'list'], { env, extendEnv: false });
  expect(files().length).toBeGreaterThan(first.length);
});

it.each([
  ['can be written by others', (folder: string) => chmodSync(folder, 0o777)],
  ['is a file', (folder: string) => (rmSync(folder, { recursive: true }), writeFileSync(folder, ''))],
] as const)('does not use a folder of compiled code that %s', async (_, change) => {
  const { program, all, files, caches } = copyForOtherV8();
  await failure(program);
  const [folder = ''] = readdirSync(all);
  for (const name of caches()) writeFileSync(join(all, name), 'planted');
  // Otherwise nothing would be kept again.
  for (const name of files()) if (/\.cache\./.test(name)) rmSync(join(all, name));
  change(join(all, folder));
  expect(await failure(program)).toContain('error: cannot connect to ');
  expect(caches().filter((name) => readFileSync(join(all, name), 'latin1') !== 'planted')).toEqual([]);
});

it.each([['/proc'], ['/dev/null'], ['missing']])('runs without compiled code in the home %s', async (home) => {
  const { program } = copyForOtherV8();
  const path = resolve(program.home, home);
  expect(await failure({ ...program, home: path })).toContain('error: cannot connect to ');
  expect(existsSync(join(path, '.cache'))).toBe(false);
});

it('removes the compiled code of other builds after a week', async () => {
  const { program, all } = copyForOtherV8();
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  for (const [name, days] of [
    ['1-x64-old', 8],
    ['1-x64-new', 6],
  ] as const) {
    mkdirSync(join(all, name), { recursive: true });
    utimesSync(join(all, name), ago(days), ago(days));
  }
  await failure(program);
  expect(readdirSync(all)).toEqual(expect.arrayContaining(['1-x64-new']));
  expect(readdirSync(all)).not.toContain('1-x64-old');
});

it('neither empties nor uses a folder that a link stands for', async () => {
  const { program, all } = copyForOtherV8();
  const other = join(program.home, 'other');
  const kept = join(other, '1-x64-old');
  mkdirSync(kept, { recursive: true });
  utimesSync(kept, 0, 0);
  mkdirSync(dirname(all), { recursive: true });
  symlinkSync(other, all);
  expect(await failure(program)).toContain('error: cannot connect to ');
  expect(readdirSync(other)).toEqual(['1-x64-old']);
});

it.each(['.cache', '.cache/bizmsg', '.cache/bizmsg/code'])('keeps nothing if others can write to %s', async (path) => {
  const { program, caches } = copyForOtherV8();
  const folder = join(program.home, path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o777);
  expect(await failure(program)).toContain('error: cannot connect to ');
  expect(caches()).toEqual([]);
});

it('removes only folders that have the name of a build', async () => {
  const { program, all } = copyForOtherV8();
  mkdirSync(join(all, 'notes'), { recursive: true });
  utimesSync(join(all, 'notes'), 0, 0);
  await failure(program);
  expect(readdirSync(all)).toContain('notes');
});

it('keeps no word that is not a command', async () => {
  const { program, files } = copyForOtherV8();
  const env = cleanEnv(program.home, {});
  const { exitCode } = await execa(process.execPath, [program.bin, 'password'], {
    env,
    extendEnv: false,
    reject: false,
  });
  expect([exitCode, files().filter((name) => name.includes('password'))]).toEqual([2, []]);
});

it.runIf(process.getuid?.() === 0)('creates nothing in the home of another user, for example with sudo', async () => {
  const { program } = copyForOtherV8();
  const path = join(program.home, 'home');
  mkdirSync(path);
  chownSync(path, 1_234, 1_234);
  expect(await failure({ ...program, home: path })).toContain('error: cannot connect to ');
  expect(existsSync(join(path, '.cache'))).toBe(false);
});
