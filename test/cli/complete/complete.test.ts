import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { longName } from '../../../src/cli/params.ts';
import { batchParams } from '../../../src/runs/options.ts';
import { powerShellQuote } from '../../../src/base/shell-quote.ts';
import { replyTo, lineOf } from '../../../src/cli/complete/main.ts';
import { type SurfaceNode, surfaceOf } from '../../../src/cli/command-tree.ts';
import { tree } from '../../../src/commands/index.ts';
import type { Env } from '../../../src/base/host.ts';
import { bin, program } from '../../support/bin.ts';
import { cli } from '../../support/cli.ts';
import { commands } from '../../support/commands.ts';
import { openService } from '../../support/service.ts';
import { newHome, testKey } from '../../support/fake-service.ts';
import { serveLocal } from '../../support/local.ts';
import { homeEnv, modeOf, ownFile } from '../../support/system.ts';
import { openWorld } from '../../support/world.ts';

const surface = await surfaceOf(tree);

function nodeNamed(name: string): SurfaceNode | undefined {
  return name
    .split(' ')
    .reduce<SurfaceNode | undefined>((node, word) => node?.children?.find((one) => one.name === word), surface.root);
}

/** The candidates for fish: whole words. */
function offered(line: string, home = newHome(), env: Env = {}): readonly string[] {
  const machine = { env: { ...homeEnv(home), ...env }, home, self: program };
  const [, , ...lines] = replyTo('fish', ['bizmsg', ...line.split(' ')], machine, surface) ?? [];
  return lines.map((one) => one.replace(/\t.*/, ''));
}

function kindOf(line: string): string | undefined {
  return replyTo('fish', ['bizmsg', ...line.split(' ')], { env: {}, home: newHome(), self: program }, surface)?.[0];
}

function homeWith(profiles: readonly string[], text?: string): string {
  const home = newHome();
  const folder = join(home, '.config/bizmsg');
  mkdirSync(folder, { recursive: true });
  const profile = { baseUrl: 'https://api.example.com', mode: 'sandbox', keys: { sandbox: 'sk_test_0123456789' } };
  const store = { version: 1, profiles: Object.fromEntries(profiles.map((name) => [name, profile])) };
  writeFileSync(join(folder, 'profiles.json'), text ?? JSON.stringify(store));
  return home;
}

function addTemplates(home: string, text: string): void {
  mkdirSync(join(home, '.local/state/bizmsg'), { recursive: true });
  writeFileSync(join(home, '.local/state/bizmsg/templates.json'), text);
}

describe('a TAB', () => {
  it.each([
    ['keys ', ['switch-mode']],
    ['keys switch-mode ', ['sandbox', 'live']],
    ['--mode ', ['sandbox', 'live']],
    ['--mode=', ['--mode=sandbox', '--mode=live']],
    ['-o ', ['table', 'json', 'ndjson', 'csv', 'tsv', 'id']],
    ['contacts list --output=', ['table', 'json', 'ndjson', 'csv', 'tsv', 'id'].map((name) => `--output=${name}`)],
    ['login --plan ', ['starter', 'growth', 'scale', 'enterprise']],
    ['sandbox plan set ', ['starter', 'growth', 'scale', 'enterprise']],
    [
      'sandbox plan set growth --without contacts,',
      ['send-template', 'templates', 'campaigns'].map((name) => `contacts,${name}`),
    ],
    ['sandbox reset ', ['messages', 'contacts', 'logs', 'all']],
    ['completion ', ['bash', 'zsh', 'fish', 'powershell']],
    ['sandbox keys create --scope ', ['read-only', 'send-only', 'full']],
    ['--quiet --retries 3 keys switch-mode ', ['sandbox', 'live']],
    ['keys switch-mode --yes ', ['sandbox', 'live']],
    ['help contacts ', ['list', 'create', 'import', 'export']],
    ['nowhere ', []],
    ['keys nowhere ', []],
    ['contacts list --limit ', []],
    ['--nonsense=', []],
    ['keys switch-mode live extra ', []],
  ])('after "%s" offers the possible words', (line, expected) => {
    expect(offered(line).filter((text) => !text.startsWith('--') || line.includes('='))).toEqual(expected);
  });

  it.each([
    ['contacts import ', 'files'],
    ['contacts create --input ', 'files'],
    ['contacts create --input=', 'files'],
    ['--ca-file ', 'files'],
    ['send-batch welcome ', 'files'],
    ['webhooks show --raw ', 'files'],
    ['sandbox exec -- ', 'command'],
    ['sandbox exec --plan growth -- npm --pro', 'command'],
    ['webhooks expect message.read -- ', 'command'],
    ['contacts list -- ', 'words'],
  ])('after "%s" makes the shell complete %s', (line, kind) => {
    expect(kindOf(line)).toBe(kind);
  });

  it('offers an option once, and a repeatable one again', () => {
    const again = offered('send-template -p Ada --wait --profile local --yes -');
    expect(['--param', '--wait', '--profile', '--yes', '--within'].filter((name) => again.includes(name))).toEqual([
      '--param',
      '--within',
    ]);
  });

  it('offers only options that the command accepts', () => {
    const names = offered('profiles list --');
    expect(['--dry-run', '--mode', '--param', '--output', '--yes'].filter((name) => names.includes(name))).toEqual([
      '--output',
      '--yes',
    ]);
  });

  it('offers own options, four inherited ones and three that answer questions, and others once a letter is typed', () => {
    const names = offered('send-batch --');
    const others = ['--profile', '--mode', '--output', '--dry-run', '--yes', '--no-input', '--quiet'];
    const own = Object.values(batchParams).flatMap((param) => (param.isHidden ? [] : longName(param)));
    expect(new Set(names)).toEqual(new Set([...own, ...others]));
    expect(offered('send-batch --t')).toContain('--timeout');
    expect(offered('send-batch --m')).toContain('--map');
    expect(offered('send-batch --c')).not.toContain('--concurrency');
  });

  it.each([
    ['send-batch welcome FILE -p ', [':Mobile', ':Order no']],
    ['contacts import FILE --map ', ['Mobile=phone', 'Order no=phone']],
    ['contacts import FILE --keep ', ['Mobile', 'Order no']],
    ['send-batch welcome none.csv --per ', []],
  ])('after "%s" offers the columns of the file', (line, expected) => {
    const file = join(newHome(), 'people.csv');
    writeFileSync(file, 'Mobile;"Order no"\n+12025550101;A-1042\n');
    expect(offered(line.replace('FILE', file))).toEqual(expected);
  });

  it('offers options if nothing else is possible', () => {
    expect(offered('contacts list ')).toContain('--limit');
  });

  it('offers no option after --', () => {
    expect(offered('profiles set -- -')).toEqual([]);
  });

  it('recognizes the program after variables and with a path', () => {
    const reply = replyTo(
      'fish',
      ['FOO=1', '/usr/bin/bizmsg', 'keys', ''],
      { env: {}, home: newHome(), self: program },
      surface,
    );
    expect(reply?.[2]).toMatch(/^switch-mode\t/);
  });

  it('returns nothing for an unknown shell', () => {
    expect(replyTo('tcsh', ['bizmsg', ''], { env: {}, home: newHome(), self: program }, surface)).toBeUndefined();
  });
});

describe('the names of profiles', () => {
  const odd = ['$(touch pwned)', 'a b', 'x:y=z', "it's"];

  it('are offered to --profile with local, and to commands that change them without it', () => {
    const home = homeWith(['acme', 'beta']);
    expect([offered('--profile ', home), offered('profiles set ', home)]).toEqual([
      ['acme', 'beta', 'local'],
      ['acme', 'beta'],
    ]);
  });

  it.each([
    'tab\tx',
    'line\nx',
    'cr\rx',
    'esc\u001b[31mx',
    'nul\u0000x',
    'bidi\u202ex',
    '\ud800',
    '',
    '--yes',
    'x'.repeat(201),
  ])('omit %j', (name) => {
    expect(offered('profiles set ', homeWith([name, 'acme']))).toEqual(['acme']);
  });

  it.each(['', '{', '[]', '{"version":1,"profiles":{"acme":{}}}'])('are empty if the store is %j', (text) => {
    expect(offered('profiles set ', homeWith([], text))).toEqual([]);
  });

  it('are empty if the variable of a folder is empty', () => {
    expect(offered('profiles set ', newHome(), { BIZMSG_CONFIG_DIR: '' })).toEqual([]);
  });

  it.each([
    ['bizmsg profiles set ', '', [String.raw`\$\(touch\ pwned\)`, String.raw`a\ b`, String.raw`it\'s`, 'x:y=z']],
    ['bizmsg profiles set a', 'a', [String.raw`a\ b`]],
    [String.raw`bizmsg profiles set a\ `, String.raw`a\ `, [String.raw`a\ b`]],
    ['bizmsg profiles set x:', '', ['y=z']],
    ['bizmsg profiles set x:y=', '', ['z']],
    ['bizmsg profiles set "a', 'a', ['a b']],
    ["bizmsg profiles set 'a ", 'a ', ['a b']],
    ['bizmsg profiles set "$', '$', []],
    ["bizmsg profiles set 'it", 'it', []],
    ['bizmsg --profile=x', 'x', ['x:y=z']],
    ['bizmsg --profile="a', 'a', ['a b']],
    ['bizmsg profiles set $(', '', []],
  ])('are escaped for bash in %j, replacing %j', (line, replaced, expected) => {
    const home = homeWith(odd);
    const machine = { env: homeEnv(home), home, self: program };
    const [, ...words] = replyTo('bash', [line, replaced], machine, surface) ?? [];
    expect(words).toEqual(expected);
  });

  it.each(['bizmsg login < ', 'bizmsg profiles list >out', 'bizmsg profiles list 2>> '])(
    'are not offered after the redirection %j',
    (line) => {
      expect(replyTo('bash', [line, ''], { env: {}, home: newHome(), self: program }, surface)).toEqual(['files']);
    },
  );
});

describe('the names of templates', () => {
  it('are those of the last templates list, for the current caller', async () => {
    const world = await openWorld();
    const { home, env, run } = world;
    const before = offered('send-template +12025550101 ', home, env);
    await run(['templates', 'list']);
    const after = offered('send-template +12025550101 ', home, env);
    await world.close();
    expect([before.includes('order_update'), after.includes('order_update')]).toEqual([false, true]);
    expect(offered('send-template +12025550101 --profile local ', home)).not.toContain('order_update');
  });

  it('are stored with mode 0600', async () => {
    const home = newHome();
    await serveLocal(home);
    await cli(['templates', 'list', '--profile', 'local'], { home });
    const folder = join(home, '.local/state/bizmsg');
    expect(modeOf(join(folder, 'templates.json'))).toBe(ownFile);
    expect(readdirSync(folder).filter((name) => name.startsWith('templates'))).toEqual(['templates.json']);
    expect(offered('send-template --profile local +12025550101 ', home)).toContain('order_update');
  });

  it('do not change when only a part is listed', async () => {
    const home = newHome();
    await serveLocal(home);
    await cli(['templates', 'list', '--profile', 'local'], { home });
    await cli(['templates', 'list', '--profile', 'local', '--limit', '1'], { home });
    expect(offered('send-template --profile local +12025550101 ', home).length).toBeGreaterThan(3);
  });

  it('are all known ones without a caller', () => {
    const home = homeWith(['acme']);
    addTemplates(
      home,
      '{"version":2,"places":{"local":[{"name":"a"}],"https://api.example.com sandbox":[{"name":"b"}]}}',
    );
    expect([
      offered('send-template +12025550101 ', home),
      offered('send-template --profile acme +12025550101 ', home),
    ]).toEqual([['a', 'b'], ['b']]);
  });

  it.each([
    '',
    '{',
    '[]',
    '{"version":2}',
    '{"version":2,"places":{"local":"x"}}',
    '{"version":1,"places":{"local":["x"]}}',
    '{"version":1,"places":{"local":[1,null,"--yes","a\\nb"]}}',
  ])('are empty if the file contains %j', (text) => {
    const home = newHome();
    addTemplates(home, text);
    expect(offered('send-template --profile local +12025550101 ', home)).toEqual([]);
  });

  it('are listed even if they cannot be stored', async () => {
    const world = await openWorld();
    mkdirSync(join(world.home, '.local/state/bizmsg/templates.json'), { recursive: true });
    const ran = await world.run(['templates', 'list']);
    await world.close();
    expect([ran.code, ran.stderr.includes('error'), ran.stdout.includes('order_update')]).toEqual([0, false, true]);
  });
});

describe('ids', () => {
  it('of runs are the newest first, with what they are', async () => {
    const home = newHome();
    writeFileSync(join(home, 'people.csv'), 'phone\n+12025550101\n');
    const service = await openService();
    const env = { BIZMSG_BASE_URL: service.url, BIZMSG_API_KEY: testKey };
    for (const words of [
      ['contacts', 'import', 'people.csv'],
      ['send-batch', 'welcome', 'people.csv'],
    ])
      await bin(words, { home, env, cwd: home });
    const found = JSON.parse((await bin(['runs', 'list', '-o', 'json'], { home })).stdout);
    const [older, newer] = found.map(({ id }: { readonly id: string }) => id);
    const machine = { env: homeEnv(home), home, self: program };
    expect(replyTo('fish', ['bizmsg', 'runs', 'show', ''], machine, surface)).toEqual([
      'words',
      '',
      `${newer}\tsend-batch welcome people.csv`,
      `${older}\tcontacts import people.csv`,
    ]);
    for (const line of ['runs close ', 'runs forget ', `runs forget ${older} `, 'runs resolve '])
      expect(offered(line, home)).toEqual([newer, older]);
    expect(offered('webhooks replay ', home)).toEqual([]);
    service.close();
  });
});

describe('the surface', () => {
  it.each(commands)('has $name', ({ name }) => {
    expect(nodeNamed(name)?.params).toBeDefined();
  });

  const values = commands.flatMap(({ name, command }) =>
    Object.values(command.params).flatMap((param, at) => {
      const known = nodeNamed(name)?.params?.[at]?.known;
      const of = known && typeof known.of !== 'string' ? known.of : [];
      return of.filter((text) => !text.endsWith('=')).map((text) => ({ name, param, spec: param.spec, text }));
    }),
  );

  it.each(values)('offers $text for $spec of $name, and the option accepts it', ({ param, text }) => {
    expect(() => param.read([text])).not.toThrow();
  });

  it('is plain data', async () => {
    expect(JSON.parse(JSON.stringify(surface))).toEqual(JSON.parse(JSON.stringify(await surfaceOf(tree))));
  });
});

it('has a signature in every script', async () => {
  for (const [shell, file] of [
    ['bash', 'bizmsg.bash'],
    ['zsh', '_bizmsg'],
    ['fish', 'bizmsg.fish'],
    ['powershell', 'bizmsg.ps1'],
  ]) {
    const { code, stdout } = await cli(['completion', shell ?? ''], { home: newHome() });
    expect([code, stdout]).toEqual([0, readFileSync(new URL(`../../../completions/${file}`, import.meta.url), 'utf8')]);
  }
});

it('doubles all quotes that end a text in PowerShell', () => {
  const script = readFileSync(new URL('../../../completions/bizmsg.ps1', import.meta.url), 'utf8');
  const [, quotes = '(?!)'] = /-replace "(.+?)", '\$0\$0'/.exec(script) ?? [];
  const text = "a'; b \u2018; c \u2019; d \u201a; e \u201b; f";
  expect(`'${text.replaceAll(new RegExp(quotes, 'g'), '$&$&')}'`).toBe(powerShellQuote(text));
});

it.each([
  ['bizmsg ', ['bizmsg', ''], '', ''],
  ['bizmsg con', ['bizmsg', 'con'], 'con', ''],
  [' bizmsg  a\tb', ['bizmsg', 'a', 'b'], 'b', ''],
  [String.raw`bizmsg a\ b c\'d`, ['bizmsg', 'a b', "c'd"], String.raw`c\'d`, ''],
  [`bizmsg 'a "b' "c 'd`, ['bizmsg', 'a "b', "c 'd"], `"c 'd`, '"'],
  [String.raw`bizmsg "a\"b\c" 'a\'`, ['bizmsg', String.raw`a"b\c`, 'a\\'], String.raw`'a\'`, ''],
  ['bizmsg --profile="a b', ['bizmsg', '--profile=a b'], '--profile="a b', '"'],
  ['bizmsg $(touch x) `y`', ['bizmsg', '$(touch', 'x)', '`y`'], '`y`', ''],
  ['bizmsg a < file b', ['bizmsg', 'a', 'b'], 'b', ''],
  ['bizmsg a 2>&1 b', ['bizmsg', 'a', 'b'], 'b', ''],
  ['bizmsg a\\', ['bizmsg', 'a'], 'a\\', ''],
  ['', [''], '', ''],
])('splits %j like a shell, and expands nothing', (text, words, raw, quote) => {
  expect(lineOf(text)).toEqual({ words, raw, quote, redirects: false });
});

it.each(['bizmsg <', 'bizmsg a > fi', 'bizmsg a 2>>fi', 'bizmsg a &> fi'])(
  'detects a redirection at the end of %j',
  (text) => {
    expect(lineOf(text).redirects).toBe(true);
  },
);
