import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { binary } from '../support/bin.ts';
import { newWorld, type World } from '../support/world.ts';

/** Packages by the chunk that contains their code. */
const { packages }: { packages: Readonly<Record<string, readonly string[]>> } = JSON.parse(
  readFileSync(new URL('../../dist/build.json', import.meta.url), 'utf8'),
);
const hook = `process.on('exit', () => require('node:fs').writeFileSync(process.env.LOADED, JSON.stringify([...Object.keys(require.cache), ...process.moduleLoadList])))`;

async function open(): Promise<World> {
  const world = await newWorld();
  writeFileSync(join(world.home, 'people.csv'), 'phone\n+12025550146\n');
  writeFileSync(join(world.home, 'hook.cjs'), hook);
  return world;
}

/** Returns the files and modules that a command loads. */
async function allLoadedBy({ home, binEnv }: World, argv: readonly string[]): Promise<readonly string[]> {
  const list = join(home, 'loaded.json');
  const words = ['-r', join(home, 'hook.cjs'), binary, ...argv];
  await execa(process.execPath, words, {
    cwd: home,
    env: { ...binEnv, LOADED: list },
    extendEnv: false,
    input: argv[0] === '__complete' ? 'bizmsg con\0con\0' : 'sk_test_bench0123456789',
  });
  const files: unknown = JSON.parse(readFileSync(list, 'utf8'));
  return Array.isArray(files) ? files.map(String) : [];
}

/** Returns those of dist. */
async function loadedBy(world: World, argv: readonly string[]): Promise<readonly string[]> {
  const files = await allLoadedBy(world, argv);
  return files.filter((file) => /dist.cli/.test(file)).map((file) => basename(file));
}

it.each([
  [['--version'], ['main.cjs']],
  [['--help'], ['main.cjs']],
  [
    ['send-template', '+12025550101', 'welcome'],
    ['main.cjs', 'core.cjs', 'rolldown-runtime.cjs', 'run.cjs', 'call.cjs'],
  ],
])('%j loads only %j', async (argv, files) => {
  const loaded = await loadedBy(await open(), argv);
  expect(loaded.map((file) => file.replace(/-[\w-]{8}\.cjs$/, '.cjs'))).toEqual(files);
});

it.each([
  [['--version'], false],
  [['--help'], false],
  [['__complete', 'bash'], false],
  [['contacts', 'list'], false],
  [['send-template', '+12025550101', 'welcome'], false],
  [['contacts', 'import', 'people.csv'], true],
])('%j loads SQLite: %s', async (argv, isLoaded) => {
  const files = await allLoadedBy(await open(), argv);
  expect(files.some((file) => /photostructure|Module sqlite/.test(file))).toBe(isLoaded);
});

const profiles = 'login --no-check --profile acme --base-url https://api.example.com --key-stdin';

it.each([
  ['send-template +12025550101 welcome', []],
  ['contacts list', []],
  ['contacts list -o json', []],
  ['contacts list -o table', ['cli-table3']],
  ['contacts create --set phone=+12025550142', []],
  ['api /api/public/templates', []],
  ['whoami', []],
  ['batches list', []],
  ['doctor', []],
  ['webhooks list', []],
  ['contacts import people.csv', ['csv-parse', 'libphonenumber-js', 'undici']],
  [profiles, ['ajv', 'conf', 'proper-lockfile']],
])('%s loads commander and %j', async (line, wanted) => {
  const named = ['chalk', 'cli-table3', 'commander', 'conf', 'libphonenumber-js', 'ora', 'undici'];
  const candidates = [...named, '@inquirer/prompts', 'proper-lockfile', 'ajv', 'csv-parse'];
  const files = await loadedBy(await open(), line.split(' '));
  const loaded = new Set(files.flatMap((file) => packages[file] ?? []));
  expect(candidates.filter((name) => loaded.has(name)).sort()).toEqual(['commander', ...wanted].sort());
});
