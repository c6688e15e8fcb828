import { describe, expect, it } from 'vitest';
import { globals } from '../../src/cli/globals.ts';
import { announced } from '../../src/contract/endpoints.ts';
import { sections, topicNames } from '../../src/cli/help.ts';
import { exitCodes } from '../../src/base/errors.ts';
import { whole } from '../../src/cli/command.ts';
import { tree } from '../../src/commands/index.ts';
import { cli } from '../support/cli.ts';
import { commands } from '../support/commands.ts';
import { newHome } from '../support/fake-service.ts';
import { words } from '../support/shell-words.ts';
import { isRecord } from '../../src/contract/readers.ts';

const root = await whole(tree);
const groups = root.children.filter(({ kind }) => kind === 'group');
const run = (argv: readonly string[]) => cli(argv, { home: newHome() });

describe('--help', () => {
  it.each(commands)('of $name shows its usage on lines of 80 columns', async ({ name, command }) => {
    const { code, stdout, stderr } = await run([...name.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(command.summary);
    expect(stdout).toContain(`\nUsage: bizmsg ${name}`);
    const joined = stdout.replaceAll(' \\\n   ', '');
    expect(command.examples.filter((example) => !joined.includes(`\n  bizmsg ${example}\n`))).toEqual([]);
    expect(stdout.split('\n').filter((line) => line.length > 80 && line.startsWith(' '))).toEqual([]);
  });

  it.each(commands)('of $name is the same with -h and with help', async ({ name }) => {
    const [long, short, topic] = await Promise.all([
      run([...name.split(' '), '--help']),
      run(['-h', ...name.split(' ')]),
      run(['help', ...name.split(' ')]),
    ]);
    expect([short, topic]).toEqual([long, long]);
  });

  it.each(groups.map(({ name }) => name))('of the group %s lists its commands', async (name) => {
    const { code, stdout } = await run([name, '--help']);
    expect(code).toBe(0);
    for (const named of commands.filter((one) => one.name.startsWith(`${name} `))) {
      expect(stdout).toContain(`  ${named.name.split(' ')[1]}`);
    }
  });

  it.each([[['--help']], [[]]])('of bizmsg lists every command (%j)', async (words) => {
    const { code, stdout } = await run(words);
    expect(code).toBe(0);
    expect(tree.children.filter(({ name }) => !stdout.includes(`\n  ${name}`))).toEqual([]);
  });

  it('of bizmsg has no options without arguments, so that the commands stay on the screen', async () => {
    const [asked, bare] = [await run(['--help']), await run([])];
    expect([asked.stdout.includes('--profile <name>'), bare.stdout.includes('--profile <name>')]).toEqual([
      true,
      false,
    ]);
    expect(bare.stdout).toContain('Options: bizmsg --help');
    expect(bare.stdout.split('\n').length).toBeLessThan(36);
  });

  it.each(commands)('of $name has at most 48 lines', async ({ name }) => {
    const { stdout } = await run([...name.split(' '), '--help']);
    expect(stdout.split('\n').length - 1).toBeLessThanOrEqual(48);
  });

  it('of bizmsg has at most 40 lines, with every command below a heading', async () => {
    const { stdout } = await run(['--help']);
    expect(stdout.split('\n').length - 1).toBeLessThanOrEqual(40);
    expect(sections.flatMap(([, names]) => names)).toHaveLength(tree.children.length);
  });

  it('has bold headings on a terminal, unless colors are off', async () => {
    const home = newHome();
    const [bold, plain] = await Promise.all([
      cli(['send-batch', '--help'], { home, terminal: 80 }),
      cli(['send-batch', '--help', '--no-color'], { home, terminal: 80 }),
    ]);
    expect(bold.stdout).toContain('\u001b[1mColumns:\u001b[22m\n');
    expect(plain.stdout).toContain('\nColumns:\n');
  });

  it('names below each command the options of all commands that it accepts, and a page of the docs', async () => {
    const { stdout } = await run(['send-batch', '--help']);
    for (const name of ['--profile', '--mode', '--output', '--dry-run']) expect(stdout).toContain(`${name} `);
    expect(stdout).toContain('docs/bulk.md');
    expect((await run(['profiles', 'list', '--help'])).stdout).not.toContain('--dry-run');
  });

  it.each([[[]], [['contacts']], [['send-batch']]])('of %j is a document with -o json', async (words) => {
    const [asked, helped] = await Promise.all([
      run([...words, '--help', '-o', 'json']),
      run(['help', ...words, '-o', 'json']),
    ]);
    expect(JSON.parse(asked.stdout)).toEqual(JSON.parse(helped.stdout));
  });

  it('of bizmsg is on lines of 80 columns', async () => {
    const { stdout } = await run(['--help']);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it.each(tree.children)('of $name has the same name and summary as in the list', ({ name, summary }) => {
    expect(root.children.find((node) => node.name === name)).toMatchObject({ name, summary });
  });

  it.each(commands)('of $name has an example', ({ command }) => {
    expect(command.examples.length).toBeGreaterThan(0);
  });
});

describe('help', () => {
  it.each(Object.values(exitCodes))('exit-codes explains %i', async (code) => {
    expect((await run(['help', 'exit-codes'])).stdout).toMatch(new RegExp(`\\b${code} {2,}[a-z]`));
  });

  it('announced lists the features that the API announces', async () => {
    const { stdout } = await run(['help', 'announced']);
    expect(announced.flatMap(({ features }) => features).filter((one) => !stdout.includes(one))).toEqual([]);
  });

  it('options has every global option', async () => {
    const { stdout } = await run(['help', 'options']);
    expect(Object.values(globals).filter(({ spec }) => !stdout.includes(`  ${spec} `))).toEqual([]);
  });

  it.each(topicNames)('%s is a topic, on lines of 80 columns', async (topic) => {
    const { code, stdout } = await run(['help', topic]);
    expect([code, stdout.length > 200]).toEqual([0, true]);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it.each([['nowhere'], ['contacts', 'nowhere']])('of %s ends with 2', async (...path) => {
    const { code, stdout } = await run(['help', ...path]);
    expect([code, stdout]).toEqual([2, '']);
  });
});

describe('help of an option or an exit code', () => {
  it.each([
    ['rate', '--rate <rate>'],
    ['at-most', 'stop if more than n rows'],
    ['13', 'the request may have been processed'],
    ['143', 'terminated'],
  ])('%s says what it means', async (word, text) => {
    const { code, stdout } = await run(['help', word]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(text)]);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it.each(['concurrency', '99'])('%s is unknown', async (word) => {
    expect((await run(['help', word])).code).toBe(2);
  });
});

describe('help of a mistyped topic', () => {
  it.each([
    [['exit-code'], 'exit-codes'],
    [['exit', 'codes'], 'exit-codes'],
    [['exitcodes'], 'exit-codes'],
    [['EXIT'], 'exit-codes'],
    [['enviroment'], 'environment'],
    [['env'], 'environment'],
    [['ouput'], 'output'],
    [['anounced'], 'announced'],
  ])('suggests the right one for %j', async (typed, topic) => {
    const { code, stderr } = await run(['help', ...typed]);
    expect([code, stderr.includes(`did you mean bizmsg help ${topic}?`)]).toEqual([2, true]);
  });

  it.each([
    [['contact'], 'did you mean bizmsg contacts?'],
    [['flows'], 'announced by the API'],
    [['o'], 'not a command'],
  ])('does not suggest a topic for %j', async (typed, said) => {
    const { code, stderr } = await run(['help', ...typed]);
    expect([code, stderr.includes(said), stderr.includes('bizmsg help output')]).toEqual([2, true, false]);
  });
});

const examples = commands.flatMap(({ name, command }) => command.examples.map((example) => ({ name, example })));

describe('the example', () => {
  it.each(examples)('$example can be parsed', async ({ name, example }) => {
    for (const part of piped(example)) {
      const line = words(part);
      const end = line.includes('--') ? line.indexOf('--') : line.length;
      const { code, stderr } = await run(line.toSpliced(end, 0, '--help'));
      expect([code, stderr]).toEqual([0, '']);
    }
    expect(example.startsWith(name)).toBe(true);
  });
});

/** The command lines of a pipeline. */
function piped(example: string): readonly string[] {
  return example.split(' | bizmsg ');
}

it.each(['contacts', 'sandbox', 'sandbox endpoints'])('%s alone prints the help of its commands', async (words) => {
  const bare = await run(words.split(' '));
  expect(bare).toEqual(await run([...words.split(' '), '--help']));
  expect(bare).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining(`Usage: bizmsg ${words} <command>`),
  });
});

it.each([['contacts', '--version'], ['contacts', 'list', '--version'], ['-V', 'runs'], ['version']])(
  '%j prints the version',
  async (...argv) => {
    expect(await run(argv)).toMatchObject({ code: 0, stdout: '0.0.0\n' });
  },
);

it.each([['-v'], ['-v', 'contacts'], ['contacts', 'list', '-v'], ['contacts', 'list', '--verbose']])(
  '%j suggests --version and --debug',
  async (...argv) => {
    const { code, stderr } = await run(argv);
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean --version or --debug?')]);
  },
);

it('options without a command are a usage error', async () => {
  expect(await run(['--quiet'])).toMatchObject({ code: 2, stdout: '' });
});

async function helped(...words: readonly string[]): Promise<unknown> {
  const { code, stdout } = await run(['help', ...words, '-o', 'json']);
  expect(code).toBe(0);
  const value: unknown = JSON.parse(stdout);
  return value;
}

/** The paths of all commands in a tree. */
function pathsIn(node: unknown): readonly string[] {
  if (!isRecord(node)) return [];
  const { commands: children, path } = node;
  return Array.isArray(children) ? children.flatMap(pathsIn) : [String(path)];
}

it('help -o json has every command, the global options and the exit codes', async () => {
  const tree = await helped();
  expect(pathsIn(tree)).toEqual(commands.map(({ name }) => `bizmsg ${name}`));
  expect(tree).toMatchObject({
    global_options: expect.arrayContaining([
      expect.objectContaining({ name: '--output', short: '-o', value: 'format', default: null }),
    ]),
    exit_codes: expect.arrayContaining([{ code: 13, name: 'unsure' }]),
  });
});

it('describes the arguments and options of one command', async () => {
  expect(await helped('contacts', 'import')).toMatchObject({
    path: 'bizmsg contacts import',
    arguments: [{ name: 'file', required: true, repeatable: false }],
    options: expect.arrayContaining([
      expect.objectContaining({ name: '--map', value: 'column=field', repeatable: true }),
      expect.objectContaining({ name: '--at-most', type: 'integer' }),
      expect.objectContaining({ name: '--again', type: 'boolean', value: null }),
    ]),
    examples: expect.arrayContaining(['bizmsg contacts import people.csv --profile local']),
  });
});

it('names the words after -- and the global options that a command refuses', async () => {
  expect(await helped('sandbox', 'exec')).toMatchObject({
    arguments: [{ name: 'command', after_dashes: true }],
    refused_global_options: expect.arrayContaining(['--profile']),
  });
});

it.each([
  [['contacts'], { path: 'bizmsg contacts', commands: expect.any(Array) }],
  [['exit-codes'], { topic: 'exit-codes', text: expect.stringContaining('13') }],
])('help %j -o json is one document', async (words, shown) => {
  expect(await helped(...words)).toMatchObject(shown);
});
