import { describe, expect, it } from 'vitest';
import { opened } from '../../src/cli/command.ts';
import { globals } from '../../src/cli/globals.ts';
import { habits } from '../../src/cli/refusals.ts';
import { topicNames } from '../../src/cli/help.ts';
import { tree } from '../../src/commands/index.ts';
import { isRecord } from '../../src/contract/readers.ts';
import { cli } from '../support/cli.ts';
import { commands } from '../support/commands.ts';
import { newHome } from '../support/fake-service.ts';

const nodes = await Promise.all(tree.children.map(opened));
const run = (argv: readonly string[]) => cli(argv, { home: newHome() });
const linesOf = (text: string) => text.trimEnd().split('\n');

describe('--help', () => {
  it.each(commands)('of $name shows its usage on at most 44 lines of 80 columns', async ({ name, command }) => {
    const { code, stdout, stderr } = await run([...name.split(' '), '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: bizmsg ${name}( |\n)`));
    expect(stdout).toContain(`\n${command.summary}\n`);
    const joined = stdout.replaceAll(' \\\n   ', '');
    expect(command.examples.filter((example) => !joined.includes(`\n  bizmsg ${example}\n`))).toEqual([]);
    expect(linesOf(stdout).filter((line) => line.length > 80 && !line.startsWith('  bizmsg '))).toEqual([]);
    expect(linesOf(stdout).length).toBeLessThanOrEqual(44);
  });

  it.each([[['--help']], [[]]])(
    'of bizmsg lists every command on at most 40 lines of 80 columns (%j)',
    async (typed) => {
      const { code, stdout } = await run(typed);
      expect(code).toBe(0);
      const terms = tree.children.map(({ name, ...entry }) => ('commands' in entry ? `${name} …` : name));
      expect(terms.filter((term) => !new RegExp(`^  ${term}(?:  |$)`, 'm').test(stdout))).toEqual([]);
      expect(linesOf(stdout).length).toBeLessThanOrEqual(40);
      expect(linesOf(stdout).filter((line) => line.length > 80)).toEqual([]);
      expect(stdout).not.toContain('__complete');
    },
  );

  it.each(tree.children)('of bizmsg has the right name and words for $name', async ({ name, ...entry }) => {
    const node = nodes.find((child) => child.name === name);
    expect(node).toMatchObject({ name, summary: entry.summary });
    if (node?.kind !== 'group' || !('commands' in entry)) return;
    const listed = entry.commands?.replaceAll(/\w+: /g, '').split(/, | · /);
    expect(listed?.toSorted()).toEqual(node.children.map((child) => child.name).toSorted());
  });

  it('has bold headings and dim options on a terminal, unless colors are off', async () => {
    const [home, words] = [newHome(), ['send-batch', '--help']] as const;
    const colored = await cli(words, { home, terminal: 80 });
    const plain = await cli([...words, '--no-color'], { home, terminal: 80 });
    const piped = await cli(words, { home });
    expect(colored.stdout).toContain('\u001b[1mPeople\u001b[22m\n');
    expect(colored.stdout).toContain('\u001b[2m--country <code>\u001b[22m ');
    expect(plain.stdout).toBe(piped.stdout);
  });

  it.each([[[]], [['contacts']], [['send-batch']]])('of %j is a document with -o json', async (typed) => {
    const asked = await run([...typed, '--help', '-o', 'json']);
    expect(JSON.parse(asked.stdout)).toEqual(await helped(...typed));
  });
});

it('the tree has at most 54 commands', () => {
  expect(commands.length).toBeLessThanOrEqual(54);
});

it('at most ten words are understood by habit, and each names commands that exist', () => {
  const hints = Object.entries(habits);
  expect(hints.length).toBeLessThanOrEqual(10);
  const named = hints.flatMap(([, hint]) =>
    [...hint.matchAll(/bizmsg ([a-z-]+(?: [a-z]+)?)/g)].map(([, name = '']) => name),
  );
  const isCommand = (name: string) => commands.some((command) => `${name} `.startsWith(`${command.name} `));
  expect(named.filter((name) => !isCommand(name))).toEqual([]);
});

describe('help', () => {
  it('options has every global option', async () => {
    const { stdout } = await run(['help', 'options']);
    expect(Object.values(globals).filter(({ spec }) => !stdout.includes(`  ${spec} `))).toEqual([]);
  });

  it.each(topicNames)('%s is a topic, on lines of 80 columns', async (topic) => {
    const { code, stdout } = await run(['help', topic]);
    expect([code, stdout.length > 200]).toEqual([0, true]);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it.each([['nowhere'], ['contacts', 'nowhere'], ['concurrency'], ['99']])('of %s ends with 2', async (...path) => {
    const { code, stdout } = await run(['help', ...path]);
    expect([code, stdout]).toEqual([2, '']);
  });

  it.each([
    ['rate', '--rate <rate>'],
    ['at-most', 'in send-batch, batches resume, contacts import'],
    ['13', 'the request may have been processed'],
    ['12', 'bizmsg\n       webhooks show has the event'],
    ['5', 'batches list'],
    ['143', 'terminated'],
  ])('explains %s', async (word, text) => {
    const { code, stdout } = await run(['help', word]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(text)]);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

it.each(['contacts', 'sandbox'])('%s alone prints the help of its commands', async (typed) => {
  const bare = await run([typed]);
  expect(bare).toEqual(await run([typed, '--help']));
  const stdout: unknown = expect.stringContaining(`Usage: bizmsg ${typed} <command>`);
  expect(bare).toMatchObject({ code: 0, stderr: '', stdout });
});

it.each([
  ['contacts', '--version'],
  ['contacts', 'list', '--version'],
  ['-V', 'batches'],
  ['send-batch', '-V'],
])('%j prints the version', async (...argv) => {
  expect(await run(argv)).toMatchObject({ code: 0, stdout: '0.0.0\n' });
});

async function helped(...typed: readonly string[]): Promise<unknown> {
  const { code, stdout } = await run(['help', ...typed, '-o', 'json']);
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
  const described = await helped();
  expect(pathsIn(described)).toEqual(commands.map(({ name }) => `bizmsg ${name}`));
  const output: unknown = expect.objectContaining({ name: '--output', short: '-o', value: 'format', default: null });
  const unsure = { code: 13, name: 'unsure' };
  const lists = { global_options: expect.arrayContaining([output]), exit_codes: expect.arrayContaining([unsure]) };
  expect(described).toMatchObject(lists);
});

it('describes the arguments and options of one command', async () => {
  expect(await helped('contacts', 'import')).toMatchObject({
    path: 'bizmsg contacts import',
    arguments: [{ name: 'file', required: false, repeatable: false }],
    options: expect.arrayContaining([
      expect.objectContaining({ name: '--map', value: 'column=field', repeatable: true }),
      expect.objectContaining({ name: '--at-most', type: 'integer' }),
      expect.objectContaining({ name: '--no-where', type: 'boolean', value: null }),
    ]),
    examples: expect.arrayContaining(['bizmsg contacts import people.csv --profile local']),
  });
  expect(await helped('batches', 'cancel')).toMatchObject({ arguments: [{ name: 'batch', required: true }] });
});
