import { expect, it } from 'vitest';
import { cli } from '../../support/cli.ts';
import { newHome, openHostile } from '../../support/fake-service.ts';

const list = ['contacts', 'list', '--profile', 'nobody', '--no-color'];

it('errors and hints wrap between words on a terminal', async () => {
  const { stderr } = await cli(list, { home: newHome(), terminal: 40 });
  expect(stderr).toBe(
    'error: there is no profile "nobody"\n  bizmsg login adds one; --profile local\n  is the sandbox on this machine\n',
  );
});

it('notes wrap between words on a terminal', async () => {
  const caller = await openHostile((_, __, response) => response.end('{"data":[{"id":"1"}],"next":"/x"}'));
  const { stderr } = await cli(['contacts', 'list', '--no-color'], { ...caller, terminal: 30 });
  expect(stderr).toBe('note: the service has more;\n  --all fetches every page\n');
});

it('an error is red and bold and a note dim on a terminal, unless colors are off', async () => {
  const answer = '{"data":[{"id":"1"}],"next":"/x"}';
  const caller = { ...(await openHostile((_, __, response) => response.end(answer))), terminal: 80 };
  const of = async (words: readonly string[], env = {}) =>
    (await cli(words, { ...caller, env: { ...caller.env, ...env } })).stderr;
  const [failing, noting] = [
    ['contacts', 'lsit'],
    ['contacts', 'list'],
  ];
  expect(await of(failing)).toMatch(/^\u001b\[1m\u001b\[31merror:\u001b\[39m\u001b\[22m "lsit"/);
  expect(await of(noting)).toMatch(/^\u001b\[2mnote: .*\u001b\[22m\n$/);
  for (const words of [failing, noting])
    for (const plain of [await of(words, { NO_COLOR: '1' }), await of([...words, '--no-color'])])
      expect(plain).not.toContain('\u001b');
});

it('errors stay on one line in a pipe', async () => {
  const { stderr } = await cli(list, { home: newHome() });
  expect(stderr.split('\n')).toHaveLength(3);
});
