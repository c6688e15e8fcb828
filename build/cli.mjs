// Builds the program for bin: chunks that follow the dynamic imports of the source.
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { slashed } from './inputs.mjs';

const root = dirname(import.meta.dirname);
const target = join(root, 'dist/cli');

/**
 * The chunks that most calls need: these modules with all that they import, because a file takes 0.2 ms. Each leaves
 * out what the chunks before it have.
 */
const groups = [
  {
    name: 'core',
    test: /\/src\/(?:base\/json|cli\/output\/(?:figures|rows)|commands\/(?:completion|index)|session\/caller)\.ts$/,
  },
  { name: 'run', test: /\/src\/(?:cli\/run|session\/record-file)\.ts$/ },
  {
    name: 'call',
    test: /\/src\/(?:client\/(?:client|transport)|commands\/send-template|sandbox\/remote\/running|session\/(?:sandboxes|secrets|send-once))\.ts$/,
  },
  { name: 'store', test: /\/src\/session\/(?:message-claim|record)\.ts$/ },
].map((group) => ({ ...group, test: (id) => group.test.test(slashed(id)) }));

export const cliEntry = join(target, 'main.cjs');

/** Builds into a temporary folder; returns the chunks. `define` replaces more identifiers. */
export async function makeCli(dir, { version, stamp, define = {} }) {
  const names = {
    __VERSION__: version,
    __BUILD__: stamp,
    __BUILD_DATE__: new Date().toISOString().slice(0, 10),
    __PAGE__: '../page',
    ...define,
  };
  const help = await rootHelp(join(dir, 'help'), names);
  const input = { main: join(root, 'src/main.ts') };
  return bundle(dir, input, { ...names, __ROOT_HELP__: help }, groups);
}

/** The top-level help, which the source computes. */
async function rootHelp(dir, names) {
  const [{ parse }, { tree }] = await modules(dir, ['src/cli/parser.ts', 'src/commands/index.ts'], names);
  const plain = (text) => text;
  const { answer } = await parse(tree, ['--help'], { width: 80, bold: plain, dim: plain });
  rmSync(dir, { recursive: true });
  return answer;
}

/** Builds modules of the source in a folder, and loads them. */
export async function modules(dir, files, names) {
  const input = Object.fromEntries(files.map((file, at) => [`module${at}`, join(root, file)]));
  await bundle(dir, input, names);
  return Object.keys(input).map((name) => createRequire(import.meta.url)(join(dir, `${name}.cjs`)));
}

async function bundle(dir, input, names, groups) {
  const made = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    // Modules in one chunk still import each other dynamically.
    checks: { ineffectiveDynamicImport: false },
    plugins: [quietPostgres, quickStart],
    preserveEntrySignatures: 'allow-extension',
    transform: {
      define: Object.fromEntries(Object.entries(names).map(([name, text]) => [name, JSON.stringify(text)])),
    },
  });
  const { output } = await made.write({
    dir,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    // import() would start the loader of ES modules, which takes 25 ms.
    dynamicImportInCjs: false,
    minify: true,
    ...(groups && { codeSplitting: { groups } }),
  });
  await made.close();
  return output;
}

/** Installs the chunks and keeps the previous build's for running processes; returns the names to keep next time. */
export function installCli(temporary, previous) {
  mkdirSync(target, { recursive: true });
  const files = readdirSync(temporary);
  const chunks = files.filter((name) => name !== 'main.cjs');
  for (const file of [...chunks, 'main.cjs']) renameSync(join(temporary, file), join(target, file));
  const kept = new Set([...files, ...previous]);
  for (const file of readdirSync(target)) if (!kept.has(file)) rmSync(join(target, file), { force: true });
  return files;
}

/**
 * Loads modules of Node on first use that take 2 ms each, and that many commands do not need; exports values, which
 * need no getters; and leaves only Latin-1, because other text takes twice the memory.
 */
const quickStart = {
  name: 'quick-start',
  renderChunk: (code) =>
    code
      .replaceAll(
        /(?<=^\s*(?:let|const) \w+ = )require\("node:(?:child_process|crypto|http|zlib)"\);$/gm,
        (loading) => `new Proxy({}, { get: (_, name) => ${loading.slice(0, -1)}[name] });`,
      )
      .replaceAll(
        /Object\.defineProperty\(exports, ("[\w$]+"), \{\s+enumerable: true,\s+get: function \(\) \{\s+return ([\w$]+);\s+\}\s+\}\);/g,
        'exports[$1] = $2;',
      ),
  generateBundle(_, files) {
    for (const file of Object.values(files)) file.code = file.code.replace(/[^\0-\xff]/g, escaped);
  },
};

function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

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
    // It takes 8 ms, and a database on this machine has none.
    ["import tls from 'tls'\n", ''],
    ['tls.connect(', "require('tls').connect("],
    ["console.error('Postgres.js : Unknown Message:', x[0])", "errored(new Error('unknown message'))"],
    ["console.error('Postgres.js : Unknown Auth:', type)", "errored(new Error('unknown authentication'))"],
    // The functions are asynchronous, so nothing would catch their errors.
    [')(x, type)\n', ')(x, type)?.catch?.((err) => (errored(err), socket?.destroy()))\n'],
    // Without its signature, the server has not shown that it knows the password.
    ['=== serverSignature)\n      return', '=== serverSignature)\n      return void (serverSignature = null)'],
    [
      'type !== 0 ?',
      'type === 0 && serverSignature !== null ? async () => SASLFinal(Buffer.alloc(9)) :\n      type !== 0 ?',
    ],
    // More would block this process for minutes.
    ['parseInt(res.i), 32', 'Math.min(parseInt(res.i), 1000000), 32'],
  ],
};
