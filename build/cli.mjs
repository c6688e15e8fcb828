// Builds the program for bin, in chunks that keep start-up fast, and V8's compiled code for them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadSqlite } from '../bin/sqlite.js';
import { slashed } from './paths.mjs';

const root = dirname(import.meta.dirname);
const target = join(root, 'dist/cli');

export const cliEntry = join(target, 'main.cjs');
const entries = ['complete.cjs', 'main.cjs'];
const mainModule = join(root, 'src/main.ts');

/** The chunks of common commands, each with a function that runs them. The first chunk that has a module gets it. */
const scenarios = [
  ['chunk-send', runSends],
  ['chunk-pace', runPacedSends],
  ['chunk-ledger', runLiveSends],
  ['chunk-list', runLists],
];

const ofTeams = /\/node_modules\/postgres\/|\/src\/base\/postgres|\/src\/session\/team-(?:ledger|server)\.ts$/;

/** Builds into a temporary folder; returns the chunks. `names.define` replaces more identifiers. */
export async function makeCli(temporary, names) {
  const { entry, surface, help } = await describe(temporary, names);
  const groups = [];
  for (const [name, run] of scenarios) {
    const loaded = await modulesLoadedBy(() => run(entry));
    groups.push({ name, test: (id) => loaded.has(id) });
  }
  // A team needs a server, which is not there while this is built.
  groups.push({ name: 'chunk-team', test: (id) => ofTeams.test(slashed(id)) });
  // The modules that lists and sends have in common.
  const [sends, lists] = [groups[0], groups[scenarios.length - 1]];
  groups.unshift({ name: 'chunk-frame', test: (id) => lists.test(id) && sends.test(id) });
  const chunks = await bundle(temporary, { ...names, help, groups });
  return [...chunks, ...(await bundleCompletion(temporary, surface))];
}

/** Builds into a temporary folder; returns the tree of commands and the top-level help, which later builds contain. */
async function describe(temporary, names) {
  await bundle(temporary, { ...names, help: '', plugins: [recordLoaded] }, described);
  const require = createRequire(import.meta.url);
  const entry = join(temporary, 'main.cjs');
  const surface = await require(join(temporary, 'surface.cjs')).surfaceOf(require(join(temporary, 'tree.cjs')).tree);
  return { entry, surface, help: await rootHelp(entry) };
}

/** Installs the chunks and keeps the previous build's for running processes; returns the names to keep next time. */
export function installCli(temporary, previous, stamp) {
  mkdirSync(target, { recursive: true });
  const bodies = wrapForCache(temporary, stamp);
  const files = readdirSync(temporary);
  for (const file of files.filter((name) => !entries.includes(name)))
    renameSync(join(temporary, file), join(target, file));
  for (const file of entries) renameSync(join(temporary, file), join(target, file));
  const made = [...files, ...bodies.map((body) => `${body}.cache`)];
  const kept = new Set([...made, ...previous]);
  for (const file of readdirSync(target)) if (!kept.has(file)) rmSync(join(target, file), { force: true });
  return made;
}

/** Makes each module record in `globalThis.loadedModules` that it was loaded. */
const recordLoaded = {
  name: 'record-loaded',
  transform: (code, id) =>
    /\.[cm]?[jt]s$/.test(id)
      ? { code: `globalThis.loadedModules?.add(${JSON.stringify(id)});${code}`, moduleSideEffects: true }
      : undefined,
};

/** The modules that `act` loads. */
async function modulesLoadedBy(act) {
  const { cache } = createRequire(import.meta.url);
  // A module is recorded when it is first loaded.
  for (const file of Object.keys(cache)) delete cache[file];
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

/** Removes parts of commander that this program does not use: its help, suggestions and executable subcommands. */
const lighterCommander = {
  name: 'lighter-commander',
  transform(code, path) {
    const id = slashed(path);
    if (id.endsWith('commander/lib/help.js')) return 'exports.Help = class {}; exports.stripColor = (text) => text;';
    if (id.endsWith('commander/lib/suggestSimilar.js')) return "exports.suggestSimilar = () => '';";
    if (!id.endsWith('commander/lib/command.js')) return undefined;
    const line = "const childProcess = require('node:child_process');";
    if (!code.includes(line)) throw new Error('the line of commander that loads node:child_process has changed');
    return code.replace(line, 'const childProcess = {};');
  },
};

/** Keeps the driver of PostgreSQL from reading variables and from printing, and makes it report errors of a hostile server. */
const quietPostgres = {
  name: 'quiet-postgres',
  transform(code, id) {
    const changes = changesOfPostgres[/postgres\/src\/(\w+)\.js$/.exec(slashed(id))?.[1]];
    return changes?.reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`a line of the package postgres has changed: ${from}`);
      return text.replace(from, to);
    }, code);
  },
};

const changesOfPostgres = {
  index: [['env = process.env', 'env = {}']],
  connection: [
    ["console.error('Postgres.js : Unknown Message:', x[0])", "errored(new Error('unknown message'))"],
    ["console.error('Postgres.js : Unknown Auth:', type)", "errored(new Error('unknown authentication'))"],
    // The functions are asynchronous, so nothing would catch their errors.
    [')(x, type)\n', ')(x, type)?.catch?.((err) => (errored(err), socket?.destroy()))\n'],
    // More would block this process for minutes.
    ['parseInt(res.i), 32', 'Math.min(parseInt(res.i), 1000000), 32'],
  ],
};

const described = {
  tree: join(root, 'src/commands/index.ts'),
  surface: join(root, 'src/cli/command-tree.ts'),
};

async function bundle(dir, { version, stamp, help, define = {}, plugins = [], groups = [] }, more = {}) {
  const { rolldown } = await import('rolldown');
  rmSync(dir, { recursive: true, force: true });
  const made = await rolldown({
    input: { main: mainModule, ...more },
    platform: 'node',
    // Modules in one chunk still import each other dynamically.
    checks: { ineffectiveDynamicImport: false },
    plugins: [lighterCommander, quietPostgres, ...plugins],
    transform: {
      define: {
        __VERSION__: JSON.stringify(version),
        __BUILD__: JSON.stringify(stamp),
        __BUILD_DATE__: JSON.stringify(new Date().toISOString().slice(0, 10)),
        __PAGE__: JSON.stringify('../page'),
        __ROOT_HELP__: JSON.stringify(help),
        ...define,
      },
    },
  });
  const { output } = await made.write({
    dir,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: true,
    // Modules of no group stay in small files.
    codeSplitting: { groups },
  });
  await made.close();
  for (const file of readdirSync(dir)) forCommonJs(join(dir, file));
  return output;
}

/** Bundles the completion program for TAB: one small file without the commands. */
async function bundleCompletion(dir, surface) {
  const { rolldown } = await import('rolldown');
  const made = await rolldown({
    input: { complete: join(root, 'src/cli/complete/main.ts') },
    platform: 'node',
    transform: { define: { __SURFACE__: JSON.stringify(JSON.stringify(surface)) } },
  });
  const { output } = await made.write({ dir, format: 'cjs', entryFileNames: '[name].cjs', minify: true });
  await made.close();
  forCommonJs(join(dir, 'complete.cjs'));
  return output;
}

/**
 * Removes copies of Node's modules, which `import *` makes. Replaces import() of them, which would start the ES module loader (5 ms), and loads slow ones on first use
 * (node:crypto takes 2 ms). Escapes non-ASCII characters: V8 stores an ASCII source in half the memory.
 */
function forCommonJs(file) {
  const code = withoutCopies(readFileSync(file, 'utf8'))
    .replaceAll(/\bimport\((["'`])(node:[\w/]+)\1\)/g, 'Promise.resolve(require("$2"))')
    .replaceAll(
      // Excludes modules that are copied: `n=require("node:http");n=toESM(n)`.
      /\b([\w$]+)=require\(("node:(?:crypto|zlib|net|tls|tty|dns|http|https|child_process)")\)(?=[,;])(?!;\1=)/g,
      '$1=new Proxy({},{get:(loaded,name)=>loaded[name]??=require($2)[name]})',
    )
    .replaceAll(/[^\u0000-\u007f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  writeFileSync(file, code);
}

/** A namespace of Node is as good as its copy, which has a getter for each export, unless its `default` is used. */
function withoutCopies(code) {
  const modules = new Set([...code.matchAll(/\b([\w$]+)=require\("node:[\w/]+"\)/g)].map(([, name]) => name));
  return code.replaceAll(/\b([\w$]+)=[\w$.]+\(\1,1\);/g, (copying, name) =>
    modules.has(name) && !code.includes(`${name}.default`) ? '' : copying,
  );
}

/** Returns the program's top-level help. */
async function rootHelp(entry) {
  let text = '';
  const stdout = { write: async (part) => void (text += part) };
  const { main } = createRequire(import.meta.url)(entry);
  await main({ argv: ['--help'], env: {}, stdout });
  return text;
}

/**
 * Wraps the common chunks and the completion program, so that they run with V8's compiled code; returns the names of
 * their sources.
 */
function wrapForCache(dir, stamp) {
  const engine = `${process.versions.v8.replace(/-node.*/, '')} ${process.arch}`;
  const chunks = readdirSync(dir).filter((name) => name.startsWith('chunk-') || name === 'complete.cjs');
  return chunks.map((chunk) => {
    const body = chunk.replace('.cjs', '.body.cjs');
    // Inlines the runtime: loading a file takes 0.25 ms. Exports values, because getters take 1 ms; none is ever reassigned.
    const code = readFileSync(join(dir, chunk), 'utf8')
      .replace(
        /require\("\.\/(rolldown-runtime-[\w-]+\.cjs)"\)/,
        (_, runtime) => `((exports) => {${readFileSync(join(dir, runtime), 'utf8')}\nreturn exports})({})`,
      )
      .replaceAll(
        /Object\.defineProperty\(exports,"([\w$]+)",\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g,
        'exports.$1=$2',
      );
    writeFileSync(join(dir, body), `(function (exports, require, module, __filename, __dirname) {${code}\n})`);
    const runner = readFileSync(join(root, 'build/compiled.cjs'), 'utf8')
      .replace('__BUILT_WITH__', engine)
      .replace('__BUILD__', stamp);
    writeFileSync(join(dir, chunk), `${runner}\nmodule.exports.run(__dirname, '${body}', module, require);\n`);
    return body;
  });
}

/** Saves the code that V8 compiles for common commands, so that the next process does not compile it again. */
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
  // Lists show a run.
  for (const [, run] of scenarios) await run(cliEntry, importOne);
  await runTeamSend(cliEntry);
  await complete();
  for (const { script, file } of scripts) {
    const kept = join(target, file);
    writeFileSync(`${kept}.new`, Buffer.concat([readFileSync(kept), script.createCachedData()]));
    renameSync(`${kept}.new`, `${kept}.cache`);
  }
}

/** Completes an option and its value. */
async function complete() {
  const { main } = createRequire(import.meta.url)(join(target, 'complete.cjs'));
  const folder = mkdtempSync(join(tmpdir(), 'bizmsg-build-'));
  const host = { argv: ['__complete', 'zsh'], env: {}, home: folder, stdout: { write: async () => {} } };
  for (const words of ['contacts list --', 'contacts list --profile '])
    await main(host, `bizmsg ${words}`.replaceAll(' ', '\0') + '\0');
  rmSync(folder, { recursive: true });
}

/** Runs list commands on an empty state folder, or on one that `fill` has filled. */
async function runLists(entry, fill = async () => {}) {
  await runCommands(entry, async (run, folder) => {
    await fill(folder);
    for (const words of [
      ['profiles', 'list'],
      ['runs', 'list'],
      ['runs', '--help'],
    ])
      await run(words, {});
  });
}

/** Imports a contact in a process of its own, so that lists have a run and no code of imports is saved. */
async function importOne(folder) {
  const file = join(folder, 'example.csv');
  writeFileSync(file, 'phone\n+12025550101\n');
  const words = [join(root, 'bin/bizmsg.js'), 'contacts', 'import', file, '--quiet', '--profile', 'example'];
  const env = { PATH: process.env.PATH, HOME: folder, BIZMSG_CONFIG_DIR: folder, BIZMSG_STATE_DIR: folder };
  const [code] = await once(spawn(process.execPath, words, { stdio: 'ignore', env }), 'exit');
  if (code !== 0) throw new Error(`an import exited with ${code}`);
}

const send = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '--retries', '0'];

/** Runs a single send with a sandbox key. */
async function runSends(entry) {
  await runCommands(entry, (run) => run(send, { BIZMSG_API_KEY: 'sk_test_example' }));
}

/** Runs a single send with a plan, whose minute all processes share. */
async function runPacedSends(entry) {
  await runCommands(entry, (run, folder) => run([...send, '--profile', 'example'], { BIZMSG_CONFIG_DIR: folder }));
}

/** Runs two single sends with a live key: the first one creates the ledger. */
async function runLiveSends(entry) {
  await runCommands(entry, async (run) => {
    for (const value of ['A-1042', 'A-1043']) await run([...send, '-p', value], { BIZMSG_API_KEY: 'sk_live_example' });
  });
}

/** Runs a send with a team whose server has no tables. */
async function runTeamSend(entry) {
  const ready = 'Z\0\0\0\x05I';
  const noTable = `E\0\0\0\x16SERROR\0C42P01\0M-\0\0${ready}`;
  const server = createTcpServer((socket) => {
    socket.once('data', () => socket.write(`R\0\0\0\x08\0\0\0\0${ready}`));
    socket.on('data', (part) => part.toString('latin1').startsWith('Q') && socket.write(noTable)).on('error', () => {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const team = `postgres://example:example@127.0.0.1:${server.address().port}/example#${'0'.repeat(64)}`;
  await runCommands(entry, (run) => run(send, { BIZMSG_API_KEY: 'sk_live_example', BIZMSG_TEAM: team }));
  server.close();
}

/** Runs commands without a terminal, with a temporary state folder and a service that accepts every message. */
async function runCommands(entry, act) {
  const { main } = createRequire(import.meta.url)(entry);
  const service = createServer((request, answer) => {
    request.resume().on('end', () => answer.end('{"message_id":"msg_example"}'));
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const baseUrl = `http://127.0.0.1:${service.address().port}`;
  const state = mkdtempSync(join(tmpdir(), 'bizmsg-build-'));
  const quiet = { isTTY: false, columns: undefined, unprinted: { bytes: 0, lines: 0 }, write: async () => {} };
  const example = {
    baseUrl,
    mode: 'sandbox',
    keys: { sandbox: 'sk_test_example' },
    plan: 'growth',
  };
  writeFileSync(join(state, 'profiles.json'), JSON.stringify({ version: 1, profiles: { example } }));
  const run = (argv, env) =>
    main({
      argv,
      env: { BIZMSG_STATE_DIR: state, BIZMSG_BASE_URL: baseUrl, ...env },
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
      sqlite: loadSqlite,
    });
  await act(run, state);
  service.close();
  rmSync(state, { recursive: true, force: true });
}
