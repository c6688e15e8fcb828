import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('..', import.meta.url).pathname;

/** What each room may import of ours, by the beginning of the path below src. `lazy` only through import(). */
const rules: Readonly<Record<string, { readonly now: readonly string[]; readonly lazy?: readonly string[] }>> = {
  'main.ts': { now: [], lazy: ['cli/run', 'commands/index'] },
  'commands/sandbox/exec.ts': {
    now: ['cli/command', 'cli/params', 'commands'],
    lazy: ['sandbox'],
  },
  'commands/sandbox/start.ts': {
    now: ['cli/command', 'cli/params', 'cli/values', 'commands'],
    lazy: ['sandbox'],
  },
  'commands/webhooks': {
    now: ['cli/command', 'cli/globals', 'cli/params', 'cli/values', 'contract', 'terminal/rows', 'commands'],
    lazy: ['webhooks'],
  },
  'commands/activity.ts': {
    now: ['cli/command', 'cli/globals', 'cli/params', 'cli/values', 'commands'],
    lazy: ['activity'],
  },
  'commands/runs': {
    now: ['cli/command', 'cli/globals', 'cli/params', 'cli/values', 'commands'],
    lazy: ['runs', 'cli/old-runs'],
  },
  // Loaded by `doctor --contract`.
  'commands/conformance/compare.ts': { now: ['conformance', 'terminal/rows', 'commands'] },
  // Loaded by who waits for events.
  'commands/waiting': {
    now: ['webhooks', 'commands/waiting'],
  },
  commands: {
    now: [
      'cli/command',
      'cli/tree',
      'cli/globals',
      'cli/params',
      'cli/record-pages',
      'cli/values',
      'contract',
      'terminal/rows',
      'bulk/mapping/flags',
      'runs/options',
      'runs/view',
      'commands',
    ],
    // They read what is given, and hold no state.
    lazy: ['runs', 'sandbox/trigger/fields', 'sandbox/contents/read'],
  },
  // Loaded on first use itself.
  'cli/sandboxes.ts': {
    now: ['contract', 'profiles/environment', 'profiles/folders', 'sandbox/addresses', 'sandbox/locator'],
    lazy: ['cli/child', 'sandbox/elsewhere', 'sandbox/start', 'sandbox/proof', 'sandbox/remote/remote'],
  },
  // The same.
  'cli/signing-secret.ts': {
    now: ['profiles/environment', 'profiles/folders', 'profiles/key', 'profiles/names', 'profiles/store'],
  },
  // Loaded where a plan is known.
  'cli/shared-pace.ts': { now: ['client', 'profiles/folders'] },
  // What TAB runs, and what keeps the names for it.
  'cli/complete-names.ts': { now: ['contract', 'profiles/folders', 'profiles/resolve', 'profiles/store'] },
  'cli/complete-learn.ts': { now: ['cli', 'profiles/folders'] },
  'cli/watch.ts': {
    now: ['cli', 'profiles/resolve', 'webhooks'],
  },
  // Loaded on first use, as all of `doctor` is.
  'cli/doctoring': {
    now: [
      'cli',
      'client',
      'doctor',
      'ledger',
      'profiles',
      'runs',
      'sandbox/locator',
      'terminal',
      'webhooks/listener-locator',
    ],
  },
  // Loaded for a message with a live key.
  'cli/once.ts': { now: ['cli', 'ledger/ledger'], lazy: ['cli', 'ledger'] },
  cli: {
    now: ['cli', 'contract', 'terminal'],
    lazy: ['activity', 'client', 'ledger', 'profiles', 'terminal'],
  },
  // What it finds out, it is asked for by `cli/doctoring`, which knows the machine.
  doctor: { now: ['doctor', 'client', 'contract', 'profiles', 'terminal/times'] },
  conformance: { now: ['conformance', 'contract'] },
  activity: { now: ['activity', 'contract'], lazy: ['activity'] },
  client: { now: ['client', 'contract'], lazy: ['client'] },
  profiles: { now: ['profiles', 'contract'], lazy: ['profiles'] },
  // What `bizmsg/sandbox` gives: whoever tests with it loads nothing but Node.
  'sandbox/library': { now: ['sandbox', 'contract'] },
  sandbox: { now: ['sandbox', 'contract', 'delivery', 'webhooks/signature'], lazy: ['sandbox'] },
  webhooks: { now: ['webhooks', 'contract', 'delivery'] },
  // What imports and batches have in common.
  runs: { now: ['runs', 'contract', 'ledger', 'cli', 'terminal', 'bulk', 'activity'] },
  bulk: { now: ['bulk', 'contract'], lazy: ['bulk'] },
  ledger: { now: ['ledger', 'contract'] },
  // How events are sent.
  delivery: { now: ['delivery'] },
  terminal: { now: ['terminal'], lazy: ['terminal'] },
  contract: { now: ['contract'] },
};
/** The floor: free to all, and importing nothing of ours but each other. */
const floor = new Set([
  'errors',
  'folder',
  'ownership',
  'file-fault',
  'heartbeat',
  'process-life',
  'redact',
  'lock',
  'post',
  'host',
  'json',
  'departures',
  'journal',
  'journal-file',
  'journal-lines',
  'journal-writer',
  'listening',
  'cell-escapes',
  'nearest',
  'near-file',
  'regular-file',
  'unfinished-bodies',
  'shell-word',
]);

interface Import {
  readonly file: string;
  readonly to: string;
  readonly how: 'now' | 'lazy' | 'type';
}

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.d.ts'),
);
const imports = files.flatMap((file) => importsOf(file));

describe('the rooms of the house', () => {
  it.each(files)('%s imports only what its room may', (file) => {
    const room = Object.keys(rules).find((name) => file === name || file.startsWith(`${name}/`));
    const wrong = imports
      .filter((one) => one.file === file && one.how !== 'type' && one.to.startsWith('.'))
      .map((one) => ({ ...one, to: relative('.', join(file, '..', one.to)).replace(/\.ts$/, '') }))
      .filter(({ to, how }) => {
        if (floor.has(to)) return false;
        const rule = room ? rules[room] : { now: [] };
        const allowed = [...(rule?.now ?? []), ...(how === 'lazy' ? (rule?.lazy ?? []) : [])];
        return !allowed.some((name) => to === name || to.startsWith(`${name}/`));
      });
    expect(wrong).toEqual([]);
  });

  it('has no rule that nothing needs', () => {
    const needed = new Set<string>();
    for (const { file, to: path } of imports.filter(({ to, how }) => how !== 'type' && to.startsWith('.'))) {
      const room = Object.keys(rules).find((name) => file === name || file.startsWith(`${name}/`)) ?? '';
      const to = relative('.', join(file, '..', path)).replace(/\.ts$/, '');
      const { now = [], lazy = [] } = rules[room] ?? {};
      for (const name of [...now, ...lazy])
        if (to === name || to.startsWith(`${name}/`)) needed.add(`${room}: ${name}`);
    }
    const all = Object.entries(rules).flatMap(([room, { now, lazy = [] }]) =>
      [...now, ...lazy].map((name) => `${room}: ${name}`),
    );
    expect(all.filter((rule) => !needed.has(rule))).toEqual([]);
  });

  it('lets each package in through one file', () => {
    const packages = imports.filter(({ to, how }) => !to.startsWith('.') && !to.startsWith('node:') && how !== 'type');
    const doors = new Map<string, Set<string>>();
    for (const { to, file } of packages) {
      const name = to.startsWith('@') ? to.split('/').slice(0, 2).join('/') : (to.split('/')[0] ?? '');
      doors.set(name, (doors.get(name) ?? new Set()).add(file));
    }
    const several = [...doors].filter(([, from]) => from.size > 1).map(([name, from]) => [name, ...from]);
    expect(several).toEqual([]);
  });

  it('lets nobody of ours in through the door for others', () => {
    const through = imports.filter(
      ({ file, to }) => /(^|\/)library\//.test(to) && !file.startsWith('sandbox/library/'),
    );
    expect(through).toEqual([]);
  });

  it('touches the process only in bin', () => {
    const touching = files.filter((file) => /\bprocess\.|['"](node:)?process['"]|\bconsole\./.test(code(file)));
    expect(touching).toEqual([]);
  });
});

function importsOf(file: string): readonly Import[] {
  const text = code(file);
  const still = [...text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'/gms)];
  const bare = [...text.matchAll(/^import\s+'([^']+)'/gm)];
  const lazy = [...text.matchAll(/(?:\btypeof\s+)?\bimport\('([^']+)'\)/g)];
  return [
    ...still.map(([, type, to = '']) => ({ file, to, how: type ? ('type' as const) : ('now' as const) })),
    ...bare.map(([, to = '']) => ({ file, to, how: 'now' as const })),
    ...lazy.map(([whole, to = '']) => ({
      file,
      to,
      how: whole.startsWith('typeof') ? ('type' as const) : ('lazy' as const),
    })),
  ];
}

/** The file without its comments. */
function code(file: string): string {
  return readFileSync(join(root, 'src', file), 'utf8')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/^\s*\/\/.*$/gm, '');
}
