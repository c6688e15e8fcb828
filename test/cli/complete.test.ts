import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { powerShellQuote } from '../../src/base/shell-quote.ts';
import { rememberBatches } from '../../src/cli/seen.ts';
import { tree } from '../../src/commands/index.ts';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';
import { homeEnv, modeOf, ownFile } from '../support/system.ts';
import { newWorld } from '../support/world.ts';

/** The answer to the script of a shell. */
async function reply(shell: string, typed: readonly string[], home = newHome(), env = {}) {
  const stdin = typed.map((text) => `${text}\0`).join('');
  const { code, stdout, stderr } = await cli(['__complete', shell], { home, env, stdin });
  expect([code, stderr]).toEqual([0, '']);
  const [kind = '', before = '', ...lines] = stdout.split('\n').slice(0, -1);
  return { kind, before, lines };
}

/** The candidates for the last word of a line. */
async function offered(line: string, home = newHome(), env = {}): Promise<readonly string[]> {
  const { before, lines } = await reply('fish', ['bizmsg', ...line.split(' ')], home, env);
  return lines.map((text) => before + text.replace(/\t.*/, ''));
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
  writeFileSync(join(home, '.local/state/bizmsg/templates.txt'), text);
}

describe('a TAB', () => {
  it.each([
    ['keys ', ['switch-mode']],
    ['keys switch-mode ', ['sandbox', 'live']],
    ['--mode ', ['sandbox', 'live']],
    ['--mode=', ['--mode=sandbox', '--mode=live']],
    ['contacts list --output=', ['table', 'json', 'ndjson', 'csv', 'tsv', 'id'].map((name) => `--output=${name}`)],
    ['keys switch-mode --yes ', ['sandbox', 'live']],
    ['help contacts ', ['list', 'create', 'import', 'export']],
    ['nowhere ', []],
    ['contacts list --limit ', []],
    ['--nonsense=', []],
    ['profiles set -- -', []],
  ])('after "%s" offers the possible words', async (line, expected) => {
    expect(await offered(line)).toEqual(expected);
  });

  it('offers the commands, and topics to help', async () => {
    expect(await offered('')).toEqual(tree.children.map(({ name }) => name));
    expect(await offered('help ')).toEqual(expect.arrayContaining(['contacts', 'exit-codes']));
  });

  it.each([
    ['contacts import ', 'files'],
    ['contacts create --input=', 'files'],
    ['--ca-file ', 'files'],
    ['send-batch welcome ', 'files'],
    ['sandbox exec -- ', 'command'],
    ['sandbox exec --plan growth -- npm --pro', 'command'],
    ['webhooks expect message.read -- ', 'command'],
    ['contacts list -- ', 'words'],
  ])('after "%s" makes the shell complete %s', async (line, kind) => {
    expect((await reply('fish', ['bizmsg', ...line.split(' ')])).kind).toBe(kind);
  });

  it('offers an option once, and a repeatable one again', async () => {
    const again = await offered('send-template -p Ada --wait --profile local --yes -');
    const options = ['--param', '--wait', '--profile', '--yes', '--within'];
    expect(options.filter((name) => again.includes(name))).toEqual(['--param', '--within']);
  });

  it('offers only options that the command accepts', async () => {
    const names = await offered('profiles list --');
    const options = ['--dry-run', '--mode', '--param', '--output', '--yes'];
    expect(options.filter((name) => names.includes(name))).toEqual(['--output', '--yes']);
  });

  it('offers rare global options only once a letter is typed', async () => {
    const [names, typed] = [await offered('send-batch --'), await offered('send-batch --t')];
    const options = ['--param', '--dry-run', '--timeout'];
    expect(options.filter((name) => names.includes(name))).toEqual(['--param', '--dry-run']);
    expect(options.filter((name) => typed.includes(name))).toEqual(['--param', '--dry-run', '--timeout']);
  });
});

describe('the names of profiles', () => {
  const odd = ['$(touch pwned)', 'a b', 'x:y=z', "it's"];

  it('are offered to --profile with local, and to commands that change them without it', async () => {
    const home = homeWith(['acme', 'beta']);
    expect(await offered('--profile ', home)).toEqual(['acme', 'beta', 'local']);
    expect(await offered('profiles set ', home)).toEqual(['acme', 'beta']);
  });

  it.each(['tab\tx', 'line\nx', 'cr\rx', 'esc\u001b[31mx', 'nul\0x', 'bidi\u202ex', '', '--yes', 'x'.repeat(201)])(
    'omit %j',
    async (name) => {
      expect(await offered('profiles set ', homeWith([name, 'acme']))).toEqual(['acme']);
    },
  );

  it.each(['', '{', '[]', '{"version":1,"profiles":{"acme":{}}}'])('are empty if the store is %j', async (text) => {
    expect(await offered('profiles set ', homeWith([], text))).toEqual([]);
  });

  it.each([
    ['bizmsg profiles set ', '', ['$(touch pwned)', 'a b', "it's", 'x:y=z']],
    ['bizmsg profiles set a', 'a', ['a b']],
    [String.raw`bizmsg profiles set a\ `, String.raw`a\ `, ['a b']],
    ['bizmsg profiles set x:', '', ['y=z']],
    ['bizmsg profiles set "a', 'a', ['a b']],
    ["bizmsg profiles set 'a ", 'a ', ['a b']],
    ['bizmsg profiles set "$', '$', []],
    ['bizmsg --profile=x', 'x', ['x:y=z']],
    ['bizmsg profiles set $(', '$(', ['$(touch pwned)']],
  ])('are for bash in %j, which replaces %j', async (line, replaced, expected) => {
    const { lines } = await reply('bash', [line, replaced], homeWith(odd));
    expect(lines.map((text) => text.replace(/\t.*/, ''))).toEqual(expected);
  });

  it.each(['bizmsg login < ', 'bizmsg profiles list >out', 'bizmsg profiles list 2>> '])(
    'are not offered after the redirection %j',
    async (line) => {
      expect((await reply('bash', [line, ''])).kind).toBe('files');
    },
  );
});

describe('the names of templates', () => {
  it('are those of the last templates list, for the current caller', async () => {
    const { home, env, run } = await newWorld();
    const before = await offered('send-template +12025550101 ', home, env);
    await run(['templates', 'list']);
    const after = await offered('send-template +12025550101 ', home, env);
    expect([before.includes('order_update'), after.includes('order_update')]).toEqual([false, true]);
    expect(await offered('send-template --profile local +12025550101 ', home)).not.toContain('order_update');
  });

  it('are stored with mode 0600, and do not change when only a part is listed', async () => {
    const home = newHome();
    await serveLocal(home);
    for (const more of [[], ['--limit', '1']])
      await cli(['templates', 'list', '--profile', 'local', ...more], { home });
    expect(modeOf(join(home, '.local/state/bizmsg/templates.txt'))).toBe(ownFile);
    expect(await offered('send-template --profile local 1 ', home)).toContain('order_update');
  });

  it('are all known ones without a caller', async () => {
    const home = homeWith(['acme']);
    addTemplates(home, '{"place":"local","name":"a"}\n{"place":"https://api.example.com sandbox","name":"b"}\n');
    expect(await offered('templates show ', home)).toEqual(['a', 'b']);
    expect(await offered('templates show --profile acme ', home)).toEqual(['b']);
  });

  it('are those of the lines that can be read', async () => {
    const home = newHome();
    addTemplates(home, '{\n[]\n{"place":"local"}\n{"place":"local","name":1}\n{"place":"local","name":"a"}\n');
    expect(await offered('templates show --profile local ', home)).toEqual(['a']);
  });
});

it('offers the names of batches, the latest first', async () => {
  const home = newHome();
  rememberBatches({ home, env: homeEnv(home), pid: 1 }, ['winter', 'autumn']);
  expect(await offered('batches show ', home)).toEqual(['winter', 'autumn']);
  expect(await offered('batches mark ', home)).toEqual(['winter', 'autumn']);
});

it.each([
  ['bash', 'bizmsg.bash'],
  ['zsh', '_bizmsg'],
  ['fish', 'bizmsg.fish'],
  ['powershell', 'bizmsg.ps1'],
])('completion %s prints the script', async (shell, file) => {
  const { code, stdout } = await cli(['completion', shell], { home: newHome() });
  expect([code, stdout]).toEqual([0, readFileSync(new URL(`../../completions/${file}`, import.meta.url), 'utf8')]);
});

it('doubles all quotes that end a text in PowerShell', () => {
  const script = readFileSync(new URL('../../completions/bizmsg.ps1', import.meta.url), 'utf8');
  const [, quotes = '(?!)'] = /-replace "(.+?)", '\$0\$0'/.exec(script) ?? [];
  const text = "a'; b \u2018; c \u2019; d \u201a; e \u201b; f";
  expect(`'${text.replaceAll(new RegExp(quotes, 'g'), '$&$&')}'`).toBe(powerShellQuote(text));
});
