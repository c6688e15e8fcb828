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

it('errors stay on one line in a pipe', async () => {
  const { stderr } = await cli(list, { home: newHome() });
  expect(stderr.split('\n')).toHaveLength(3);
});
