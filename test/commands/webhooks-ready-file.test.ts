import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/hostile.ts';

it('leaves alone a file that no listener has written', async () => {
  const home = newHome();
  const file = join(home, 'mine.txt');
  writeFileSync(file, 'keep');
  const { code, stderr } = await cli(['webhooks', 'listen', '--port', '0', '--ready-file', file], { home });
  expect([code, readFileSync(file, 'utf8')]).toEqual([2, 'keep']);
  expect(stderr).toContain(`"${file}" is there already, and no listener has written it`);
});

it('cannot be a folder', async () => {
  const home = newHome();
  const folder = join(home, 'ready');
  mkdirSync(folder);
  const { code, stderr } = await cli(['webhooks', 'listen', '--port', '0', '--ready-file', folder], { home });
  expect([code, stderr]).toEqual([2, expect.stringContaining(`"${folder}" cannot be a ready file`)]);
});
