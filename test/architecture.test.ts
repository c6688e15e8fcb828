import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { posixOnly } from './support/system.ts';

posixOnly('it is about the source, which is the same');

const src = fileURLToPath(new URL('../src', import.meta.url));

/** The rooms of src and what each may import, types included. Every room may import itself, `base` and `contract`. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  base: [],
  contract: [],
  delivery: [],
  client: [],
  logs: [],
  store: [],
  session: ['client', 'store', 'sandbox/remote'],
  cli: ['client', 'session'],
  batches: ['client', 'store', 'session', 'cli'],
  webhooks: ['delivery', 'logs', 'store'],
  sandbox: ['delivery'],
  // In the browser: only types of the control plane, and base and contract where they need no Node.
  page: ['sandbox/control'],
  doctor: ['session'],
  commands: ['delivery', 'logs', 'store', 'session', 'cli', 'batches', 'webhooks', 'sandbox', 'doctor'],
};

interface Import {
  readonly file: string;
  readonly to: string;
  readonly how: 'now' | 'lazy' | 'type';
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'),
);
const imports = files.flatMap((file) => importsOf(file));
const own = imports.filter(({ to }) => existsSync(join(src, to)));
const packages = imports.filter((one) => !own.includes(one) && !one.to.startsWith('node:'));

describe('the rooms of src', () => {
  it.each(Object.keys(rooms))('%s imports only the rooms below it, types included', (room) => {
    const below = room === 'base' ? [] : [room, 'base', 'contract', ...(rooms[room] ?? [])];
    const wrong = own.filter(
      ({ file, to }) => isIn(room, file) && !isIn(room, to) && !below.some((one) => isIn(one, to)),
    );
    expect(wrong.map(({ file, to }) => `${file} imports ${to}`)).toEqual([]);
  });

  it.each(Object.keys(rooms))('%s imports every room that it may', (room) => {
    const unused = rooms[room]?.filter((one) => !own.some(({ file, to }) => isIn(room, file) && isIn(one, to)));
    expect(unused).toEqual([]);
  });

  it('open databases in session and logs only', () => {
    const opens = files.filter((file) => /\b(openDatabase|openPostgres)\(/.test(readFileSync(join(src, file), 'utf8')));
    expect(new Set(opens.map((file) => file.split('/')[0]))).toEqual(new Set(['base', 'logs', 'session']));
  });

  it('are listed in main.ts with what they may import', () => {
    const lines = readFileSync(join(src, 'main.ts'), 'utf8').matchAll(/^ \* (\w+): (.+)$/gm);
    const listed = Array.from(lines, ([, room = '', below]) => [room, below === 'none' ? [] : below?.split(', ')]);
    expect({ base: [], ...Object.fromEntries(listed) }).toEqual(rooms);
  });

  it('are all there are', () => {
    expect(files.filter((file) => !Object.keys(rooms).some((room) => isIn(room, file)))).toEqual(['main.ts']);
  });

  it('have no import cycle, types included', () => {
    expect(cycles()).toEqual([]);
  });

  it('import nothing of the library', () => {
    const outside = own.filter(({ file }) => !isIn('sandbox/library', file));
    expect(outside.filter(({ to }) => isIn('sandbox/library', to))).toEqual([]);
  });
});

describe('the page', () => {
  const loaded = new Set(files.filter((file) => isIn('page', file)).flatMap((file) => [...reachable(file)]));

  it('imports only types of the sandbox, and the steps of a story', () => {
    expect([...loaded].filter((file) => isIn('sandbox', file))).toEqual(['sandbox/control/story.ts']);
  });

  it('loads no module of Node', () => {
    const ofNode = imports.filter(({ file, to, how }) => loaded.has(file) && to.startsWith('node:') && how !== 'type');
    expect(ofNode).toEqual([]);
  });
});

describe('the world outside', () => {
  it('is reached through one file for each package', () => {
    const users = groupBy(
      // A page is written in its framework.
      packages.filter(({ file, how }) => how !== 'type' && !isIn('page', file)),
      ({ to }) => to.split('/', to.startsWith('@') ? 2 : 1).join('/'),
    );
    const several = [...users].filter(([, all]) => new Set(all.map(({ file }) => file)).size > 1);
    expect(several).toEqual([]);
  });

  it('is not touched: only bin uses process and console', () => {
    const users = files.filter((file) => /\bprocess\.|['"](node:)?process['"]|\bconsole\./.test(code(file)));
    expect(users).toEqual([]);
  });
});

describe('start-up', () => {
  it('loads nothing until it is needed: main imports only types', () => {
    expect(imports.filter(({ file, how }) => file === 'main.ts' && how === 'now')).toEqual([]);
  });

  it('loads no package with a command: they are imported on first use', () => {
    const early = packages.filter(({ how }) => how === 'now').filter(({ to }) => to !== 'commander');
    const reached = new Set([...reachable('cli/run.ts'), ...reachable('commands/index.ts')]);
    expect(early.filter(({ file }) => reached.has(file))).toEqual([]);
  });
});

/** Whether a file is the room, or lies in it. */
function isIn(room: string, file: string): boolean {
  return file === `${room}.ts` || file.startsWith(`${room}/`);
}

/** The groups of files that import each other in a circle. */
function cycles(): readonly (readonly string[])[] {
  const from = new Map(files.map((file) => [file, reachable(file, true)]));
  const circular = files.filter((file) => from.get(file)?.has(file));
  const groups = new Map(
    circular.map((file) => [
      circular.filter((other) => from.get(file)?.has(other) && from.get(other)?.has(file)).join(', '),
      file,
    ]),
  );
  return [...groups.keys()].map((group) => group.split(', '));
}

/** The files that are loaded with a file; with `types`, those of its types too. It is one of them if it is in a circle. */
function reachable(file: string, types = false): Set<string> {
  const found = new Set<string>();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const to of direct(next, types)) {
      if (found.has(to)) continue;
      found.add(to);
      open.push(to);
    }
  return types ? found : found.add(file);
}

function direct(file: string, types: boolean): readonly string[] {
  return (byFile.get(file) ?? []).filter(({ how }) => how === 'now' || (types && how === 'type')).map(({ to }) => to);
}

const byFile = groupBy(own, ({ file }) => file);

function groupBy<T>(all: readonly T[], key: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return groups;
}

function importsOf(file: string): readonly Import[] {
  const text = code(file);
  const target = (path: string) => (path.startsWith('.') ? relative(src, join(src, dirname(file), path)) : path);
  const found = (path: string, how: Import['how']): Import => ({ file, to: target(path), how });
  return [
    ...[...text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'/gms)].map(([, type, path = '']) =>
      found(path, type ? 'type' : 'now'),
    ),
    ...[...text.matchAll(/^import\s+'([^']+)'/gm)].map(([, path = '']) => found(path, 'now')),
    ...[...text.matchAll(/(?<!typeof\s)\bimport\('([^']+)'\)/g)].map(([, path = '']) => found(path, 'lazy')),
    ...[...text.matchAll(/typeof\s+import\('([^']+)'\)/g)].map(([, path = '']) => found(path, 'type')),
  ];
}

/** The file without its comments. */
function code(file: string): string {
  return readFileSync(join(src, file), 'utf8')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/^\s*\/\/.*$/gm, '');
}
