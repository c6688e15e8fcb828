// Builds one file for each system that runs without Node, with Bun's runtime, into dist/binaries, and their SHA256SUMS.
//   npm run binaries [-- linux-x64 …]
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeCli } from './cli.mjs';

const root = dirname(import.meta.dirname);
const target = join(root, 'dist/binaries');
const bunVersion = '1.4.5';
/** Bun's name of each system, the ending of its programs, and the integrity of its package. */
const systems = {
  'linux-x64': {
    bun: 'linux-x64',
    integrity: 'sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==',
  },
  'linux-arm64': {
    bun: 'linux-aarch64',
    integrity: 'sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==',
  },
  'macos-arm64': {
    bun: 'darwin-aarch64',
    integrity: 'sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==',
  },
  'macos-x64': {
    bun: 'darwin-x64',
    integrity: 'sha512-qkLPMGHZM9NI6CeHTWwVezzmlo6cC4Ta7yUAjYIWXS366qQcOlcp75t2uZyiuVRBMPS0h9qE0tCcvCHGaFqjJg==',
  },
  'windows-x64': {
    bun: 'windows-x64',
    ending: '.exe',
    integrity: 'sha512-FNvply651vcE/GHgNWz6mZvhmkwBuu8Hw54oNzA+CQog+HW+542rXQmZqNHRkFxazD9L3xi+iTtvO3engAgJfw==',
  },
};
/** Files that the program reads at run time. */
const contained = [
  'dist/page/page.js',
  'dist/page/page.css',
  ...['bizmsg.bash', '_bizmsg', 'bizmsg.fish', 'bizmsg.ps1'].map((name) => `completions/${name}`),
];

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(systems, name));
if (unknown !== undefined) throw new Error(`${unknown} is not one of ${Object.keys(systems).join(', ')}`);

const folder = mkdtempSync(join(tmpdir(), 'bizmsg-binaries-'));
try {
  const names = asked.length > 0 ? asked : Object.keys(systems);
  const source = await bundle();
  mkdirSync(target, { recursive: true });
  const sums = names.map((name) => compile(name, source));
  writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Builds the chunks of the program with the files that it reads. Bun joins them, and each still runs on first use. */
async function bundle() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { stamp } = JSON.parse(readFileSync(join(root, 'dist/build.json'), 'utf8'));
  const files = Object.fromEntries(
    contained.map((file) => [file.split('/').at(-1), readFileSync(join(root, file), 'utf8')]),
  );
  const define = { __PAGE__: JSON.stringify('page'), __CONTAINED__: JSON.stringify(files) };
  await makeCli(join(folder, 'program'), { version, stamp, define });
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  const entry = join(folder, 'bin/bizmsg.js');
  const [code, load] = [readFileSync(entry, 'utf8'), 'require(built)'];
  if (!code.includes(load)) throw new Error('the line of bin/bizmsg.js that loads the program has changed');
  const [complete, main] = ['../program/complete.cjs', '../program/main.cjs'];
  writeFileSync(entry, code.replace(load, `entry === 'complete' ? require('${complete}') : require('${main}')`));
  return entry;
}

/** Returns the line of SHA256SUMS. */
function compile(name, source) {
  const file = `bizmsg-${name}${systems[name].ending ?? ''}`;
  const path = join(target, file);
  // Without these options, it would read .env and bunfig.toml of the folder in which it is run.
  const closed = ['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'];
  const runtime = [`--target=bun-${systems[name].bun}`, '--compile-executable-path', bunFor(name)];
  run(bunFor(hostSystem()), [
    'build',
    '--compile',
    '--bytecode',
    '--format=cjs',
    '--minify',
    '--define=__CONTAINED__={}',
    // Bun has node:sqlite.
    '--external=@photostructure/sqlite',
    ...closed,
    ...runtime,
    source,
    '--outfile',
    path,
  ]);
  chmodSync(path, 0o755);
  console.log(path);
  return `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${file}\n`;
}

function hostSystem() {
  const platforms = { darwin: 'macos', win32: 'windows' };
  const name = `${platforms[process.platform] ?? process.platform}-${process.arch}`;
  if (!Object.hasOwn(systems, name)) throw new Error(`binaries cannot be built on ${name}`);
  return name;
}

/** The path of Bun for a system, from its package in the registry. */
function bunFor(name) {
  const { bun, ending = '', integrity } = systems[name];
  const kept = join(root, 'node_modules/.binaries', `bun-${bun}-${bunVersion}`);
  const path = join(kept, `package/bin/bun${ending}`);
  if (existsSync(path)) return path;
  mkdirSync(kept, { recursive: true });
  const packed = run('npm', ['pack', '--silent', '--pack-destination', kept, `@oven/bun-${bun}@${bunVersion}`]).trim();
  const archive = join(kept, packed.split('\n').at(-1));
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== integrity)
    throw new Error(`@oven/bun-${bun}@${bunVersion} has the integrity ${found}, not ${integrity}`);
  run('tar', ['-xzf', archive, '-C', kept]);
  rmSync(archive);
  return path;
}

function run(program, words) {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${words[0]}: exit ${status}: ${stderr}`);
  return stdout;
}
