// Builds the program that bin runs, cut so that a command loads little, with what V8 makes of it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const target = join(root, 'dist/cli');

export const cliEntry = join(target, 'main.cjs');
const entries = ['complete.cjs', 'main.cjs'];
const mainModule = join(root, 'src/main.ts');

/** Returns its chunks. */
export async function makeCli(aside, names) {
  await bundle(aside, { ...names, help: '', plugins: [recordLoaded] }, described);
  const require = createRequire(import.meta.url);
  const entry = join(aside, 'main.cjs');
  // These come first, because a module is recorded only when it is first loaded.
  const frame = await modulesOf(() => listInVain(entry));
  const send = await modulesOf(() => sendInVain(entry));
  const surface = await require(join(aside, 'surface.cjs')).surfaceOf(require(join(aside, 'tree.cjs')).tree);
  const help = await rootHelp(entry);
  const chunks = await bundle(aside, { ...names, help, frame, send });
  return [...chunks, ...(await bundleCompletion(aside, surface))];
}

/** The chunks of the build before stay for one more; what is returned are the names to keep next time. */
export function installCli(aside, before) {
  mkdirSync(target, { recursive: true });
  const bodies = setApart(aside);
  const files = readdirSync(aside);
  for (const file of files.filter((name) => !entries.includes(name))) renameSync(join(aside, file), join(target, file));
  for (const file of entries) renameSync(join(aside, file), join(target, file));
  const made = [...files, ...bodies.map((body) => `${body}.cache`)];
  const kept = new Set([...made, ...before]);
  for (const file of readdirSync(target)) if (!kept.has(file)) rmSync(join(target, file), { force: true });
  return made;
}

/** Records in `globalThis.loadedModules` which modules of ours, and which packages, a program has loaded. */
const recordLoaded = {
  name: 'record-loaded',
  transform: (code, id) =>
    /\.[cm]?[jt]s$/.test(id)
      ? { code: `globalThis.loadedModules?.add(${JSON.stringify(id)});${code}`, moduleSideEffects: true }
      : undefined,
};

/** The modules that are first loaded while `act` runs. */
async function modulesOf(act) {
  const loaded = new Set();
  globalThis.loadedModules = loaded;
  try {
    await act();
  } finally {
    delete globalThis.loadedModules;
  }
  loaded.delete(mainModule);
  return loaded;
}

/** What commander loads at once, and needs only for its own help, its suggestions, and subcommands that are programs. */
const lighterCommander = {
  name: 'lighter-commander',
  transform(code, id) {
    if (id.endsWith('commander/lib/help.js')) return 'exports.Help = class {}; exports.stripColor = (text) => text;';
    if (id.endsWith('commander/lib/suggestSimilar.js')) return "exports.suggestSimilar = () => '';";
    if (!id.endsWith('commander/lib/command.js')) return undefined;
    const line = "const childProcess = require('node:child_process');";
    if (!code.includes(line)) throw new Error('commander loads node:child_process in another way now');
    return code.replace(line, 'const childProcess = {};');
  },
};

const described = {
  tree: join(root, 'src/commands/index.ts'),
  surface: join(root, 'src/cli/complete/surface.ts'),
};

async function bundle(dir, { version, stamp, help, plugins = [], frame = new Set(), send = new Set() }, more = {}) {
  const { rolldown } = await import('rolldown');
  rmSync(dir, { recursive: true, force: true });
  const made = await rolldown({
    input: { main: mainModule, ...more },
    platform: 'node',
    // A module that is loaded with another anyway is still named where it is needed.
    checks: { ineffectiveDynamicImport: false },
    plugins: [lighterCommander, ...plugins],
    transform: {
      define: {
        __VERSION__: JSON.stringify(version),
        __BUILD__: JSON.stringify(stamp),
        __ROOT_HELP__: JSON.stringify(help),
      },
    },
  });
  const { output } = await made.write({
    dir,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: true,
    // One file for what every command loads, one for what a single send adds; the other modules stay in small files.
    codeSplitting: {
      groups: [
        { name: 'chunk-frame', test: (id) => frame.has(id) },
        { name: 'chunk-send', test: (id) => send.has(id) },
      ],
    },
  });
  await made.close();
  for (const file of readdirSync(dir)) forCommonJs(join(dir, file));
  return output;
}

/** What TAB runs is one small file, with all that it needs and nothing of what commands load. */
async function bundleCompletion(dir, surface) {
  const { rolldown } = await import('rolldown');
  const made = await rolldown({
    input: { complete: join(root, 'src/cli/complete/main.ts') },
    platform: 'node',
    transform: { define: { __SURFACE__: JSON.stringify(JSON.stringify(surface)) } },
  });
  const { output } = await made.write({ dir, format: 'cjs', entryFileNames: '[name].cjs', minify: true });
  await made.close();
  return output;
}

/**
 * Replaces import() of Node's own modules, which would start the loader of ES modules (5 ms), and loads slow ones on
 * first use (node:crypto takes 2 ms). Escapes all but ASCII: V8 keeps such a source in half the memory.
 */
function forCommonJs(file) {
  const code = readFileSync(file, 'utf8')
    .replaceAll(/\bimport\((["'`])(node:[\w/]+)\1\)/g, 'Promise.resolve(require("$2"))')
    .replaceAll(
      /=require\(("node:(?:crypto|zlib|net|tls|tty|dns|http|https|child_process)")\)(?=[,;])/g,
      '=new Proxy({},{get:(_,name)=>require($1)[name]})',
    )
    .replaceAll(/[^\u0000-\u007f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  writeFileSync(file, code);
}

/** The top-level help, asked of the program itself. */
async function rootHelp(entry) {
  let text = '';
  const stdout = { write: async (part) => void (text += part) };
  const { main } = createRequire(import.meta.url)(entry);
  await main({ argv: ['--help'], env: {}, stdout });
  return text;
}

/** Prepares the chunks that most commands load for V8's compiled code; returns the names of their sources. */
function setApart(dir) {
  const chunks = readdirSync(dir).filter((name) => /^chunk-(?:frame|send)-/.test(name));
  return chunks.map((chunk) => {
    const body = chunk.replace('.cjs', '.body.cjs');
    // Each file that is loaded costs a quarter of a millisecond.
    const code = readFileSync(join(dir, chunk), 'utf8').replace(
      /require\("\.\/(rolldown-runtime-[\w-]+\.cjs)"\)/,
      (_, runtime) => `((exports) => {${readFileSync(join(dir, runtime), 'utf8')}\nreturn exports})({})`,
    );
    writeFileSync(join(dir, body), `(function (exports, require, module, __filename, __dirname) {${code}\n})`);
    const runner = readFileSync(join(root, 'build/compiled.cjs'), 'utf8');
    writeFileSync(join(dir, chunk), `${runner}\nmodule.exports.run(__dirname, '${body}', module, require);\n`);
    return body;
  });
}

/** Saves the code that V8 compiles for lists and single sends, so that the next process does not compile it again. */
export async function precompile() {
  const vm = createRequire(import.meta.url)('node:vm');
  const scripts = [];
  class Watched extends vm.Script {
    constructor(source, options) {
      super(source, options);
      scripts.push({ script: this, file: options.filename });
    }
  }
  Object.assign(vm, { Script: Watched });
  await listInVain(cliEntry);
  await sendInVain(cliEntry);
  for (const { script, file } of scripts) {
    const kept = join(target, file);
    writeFileSync(`${kept}.new`, Buffer.concat([readFileSync(kept), script.createCachedData()]));
    renameSync(`${kept}.new`, `${kept}.cache`);
  }
}

/** Runs commands that list what is on this machine, where there is nothing. */
async function listInVain(entry) {
  await inVain(entry, async (run) => {
    for (const words of [['profiles', 'list'], ['runs', 'list'], ['activity'], ['runs', '--help']])
      await run(words, {});
  });
}

/** The ledger has a table by then, which the next send reads. */
const sendsUntilTable = 36;

/** Runs single sends to a port where nothing listens: with a key of either mode, and with a profile that has a plan. */
async function sendInVain(entry) {
  const words = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '--retries', '0'];
  await inVain(entry, async (run, config) => {
    const send = (mode) => run(words, { BIZMSG_BASE_URL: 'http://127.0.0.1:9', BIZMSG_API_KEY: `sk_${mode}_nobody` });
    await send('test');
    for (let sent = 0; sent < sendsUntilTable; sent++) await send('live');
    await run([...words, '--profile', 'nobody'], { BIZMSG_CONFIG_DIR: config });
  });
}

/** Runs commands without a terminal, with a state folder of their own. */
async function inVain(entry, act) {
  const { main } = createRequire(import.meta.url)(entry);
  const state = mkdtempSync(join(tmpdir(), 'bizmsg-build-'));
  const quiet = { isTTY: false, columns: undefined, unprinted: { bytes: 0, lines: 0 }, write: async () => {} };
  const nobody = {
    baseUrl: 'http://127.0.0.1:9',
    mode: 'sandbox',
    keys: { sandbox: 'sk_test_nobody' },
    plan: 'growth',
  };
  writeFileSync(join(state, 'profiles.json'), JSON.stringify({ version: 1, profiles: { nobody } }));
  const run = (argv, env) =>
    main({
      argv,
      env: { BIZMSG_STATE_DIR: state, ...env },
      stdout: quiet,
      stderr: quiet,
      home: state,
      pid: process.pid,
      signal: new AbortController().signal,
      now: Date.now,
      steady: () => performance.now(),
      later: () => () => {},
      kill: () => true,
      random: Math.random,
    });
  await act(run, state);
  rmSync(state, { recursive: true, force: true });
}
