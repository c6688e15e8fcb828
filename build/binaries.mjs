// Builds a program with Bun's runtime for each system, or for those named, in dist/binaries; writes their SHA256SUMS.
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeCli } from './cli.mjs';

const root = dirname(import.meta.dirname);
const target = join(root, 'dist/binaries');
const bunVersion = '1.4.5';
/** The integrity of Bun's package for each system. */
const integrities = {
  'linux-x64': 'sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==',
  'linux-aarch64': 'sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==',
  'darwin-x64': 'sha512-qkLPMGHZM9NI6CeHTWwVezzmlo6cC4Ta7yUAjYIWXS366qQcOlcp75t2uZyiuVRBMPS0h9qE0tCcvCHGaFqjJg==',
  'darwin-aarch64': 'sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==',
  'windows-x64': 'sha512-FNvply651vcE/GHgNWz6mZvhmkwBuu8Hw54oNzA+CQog+HW+542rXQmZqNHRkFxazD9L3xi+iTtvO3engAgJfw==',
};
const run = (program, words) => execFileSync(program, words, { stdio: ['ignore', 'pipe', 'inherit'] }).toString();
const nameOf = (bun) => bun.replace('darwin', 'macos').replace('aarch64', 'arm64');
const ending = (bun) => (bun.startsWith('windows') ? '.exe' : '');
const host = `${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`;
const wanted = Object.keys(integrities).filter((bun) => !process.argv[2] || process.argv.includes(nameOf(bun)));

// Without the last two, it would read .env and bunfig.toml of the folder in which it is run.
const options = `--compile --bytecode --format=cjs --minify --define=__CONTAINED__={} --external=@photostructure/sqlite
  --no-compile-autoload-dotenv --no-compile-autoload-bunfig`;

const folder = mkdtempSync(join(tmpdir(), 'bizmsg-binaries-'));
const text = (file) => readFileSync(join(root, file), 'utf8');
const filesIn = (name) => readdirSync(join(root, name)).map((file) => [file, text(join(name, file))]);
// The program reads these files at run time.
const define = { __PAGE__: 'page', __CONTAINED__: Object.fromEntries(['dist/page', 'completions'].flatMap(filesIn)) };
const { version } = JSON.parse(text('package.json'));
await makeCli(join(folder, 'dist/cli'), { version, stamp: JSON.parse(text('dist/build.json')).stamp, define });
cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
writeFileSync(join(target, 'SHA256SUMS'), wanted.map(compile).join(''));
rmSync(folder, { recursive: true });

/** Returns the line of SHA256SUMS. */
function compile(bun) {
  const file = `bizmsg-${nameOf(bun)}${ending(bun)}`;
  const runtime = [`--target=bun-${bun}`, '--compile-executable-path', bunFor(bun), '--outfile', join(target, file)];
  run(bunFor(host), ['build', ...options.split(/\s+/), ...runtime, join(folder, 'bin/bizmsg.js')]);
  return `${hash('sha256', readFileSync(join(target, file)))}  ${file}\n`;
}

/** The path of Bun for a system, from its package in the registry. */
function bunFor(bun) {
  const kept = join(root, 'node_modules/.binaries', `${bun}-${bunVersion}`);
  if (!existsSync(join(kept, 'package'))) {
    mkdirSync(kept, { recursive: true });
    const words = ['pack', '--json', '--pack-destination', kept, `@oven/bun-${bun}@${bunVersion}`];
    const [{ filename, integrity }] = JSON.parse(run('npm', words));
    if (integrity !== integrities[bun]) throw new Error(`bun-${bun} has the integrity ${integrity}`);
    run('tar', ['-xzf', join(kept, filename), '-C', kept]);
  }
  return join(kept, `package/bin/bun${ending(bun)}`);
}
