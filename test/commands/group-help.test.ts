import { expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';

const run = (...argv: readonly string[]) => cli(argv, { home: newHome() });

it.each(['contacts', 'sandbox', 'sandbox webhooks'])('%s alone prints the help of its commands', async (words) => {
  const bare = await run(...words.split(' '));
  expect(bare).toEqual(await run(...words.split(' '), '--help'));
  expect(bare).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining(`Usage: bizmsg ${words} <command>`),
  });
});

it.each([
  ['contacts', '--version'],
  ['contacts', 'list', '--version'],
  ['-V', 'runs'],
])('%j prints the version', async (...argv) => {
  expect(await run(...argv)).toMatchObject({ code: 0, stdout: '0.0.0\n' });
});

it.each([['-v'], ['-v', 'contacts'], ['contacts', 'list', '-v'], ['contacts', 'list', '--verbose']])(
  '%j suggests --version and --debug',
  async (...argv) => {
    const { code, stderr } = await run(...argv);
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean --version or --debug?')]);
  },
);

it('options without a command are a usage error', async () => {
  expect(await run('--quiet')).toMatchObject({ code: 2, stdout: '' });
});
