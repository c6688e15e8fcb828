import { expect, it } from 'vitest';
import { isRecord } from '../../src/contract/readers.ts';
import { cli } from '../support/cli.ts';
import { commands } from '../support/commands.ts';
import { newHome } from '../support/fake-service.ts';

async function helped(...words: readonly string[]): Promise<unknown> {
  const { code, stdout } = await cli(['help', ...words, '-o', 'json'], { home: newHome() });
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
      expect.objectContaining({ name: '--max-errors', type: 'integer', default: expect.stringMatching(/^20/) }),
      expect.objectContaining({ name: '--format', choices: ['csv', 'tsv', 'ndjson', 'json'] }),
      expect.objectContaining({ name: '--new-only', type: 'boolean', value: null }),
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
