import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { noteCodes } from '../support/json-lines.ts';
import { logsIn } from '../webhooks/rig.ts';
import { listener } from './webhooks-rig.ts';

/** A listener whose logs are damaged, with the path of the file. */
async function damaged() {
  const opened = await listener();
  await opened.send('1');
  const path = join(opened.stateFolder, 'logs.db');
  await opened.close();
  writeFileSync(path, 'not a database, but long enough to look like one');
  return { ...opened, path };
}

it('history of damaged logs is empty, with a note that says where the damaged file is', async () => {
  const { run, path, stateFolder } = await damaged();
  const { code, stdout, stderr } = await run('webhooks list -o json');
  const aside = readdirSync(stateFolder).find((name) => name.startsWith('logs.db.damaged-'));
  expect([code, stdout, noteCodes(stderr)]).toEqual([0, '[]\n', ['logs']]);
  expect(stderr).toContain(`${path} was damaged and starts again; the damaged file is now ${stateFolder}/${aside}`);
});

it.each(['show', 'verify', 'replay e1 --to 9'])('webhooks %s of damaged logs finds no event', async (words) => {
  const { run } = await damaged();
  const { code, stderr } = await run(`webhooks ${words}`);
  expect([code, stderr]).toEqual([5, expect.stringContaining('was damaged')]);
});

it('events of a newer bizmsg are not read', async () => {
  const home = newHome();
  const { logs } = await logsIn(join(home, '.local/state/bizmsg'));
  await logs.write(function* () {
    yield { sql: 'PRAGMA user_version = 99', values: [] };
  });
  const { code, stderr } = await cli(['webhooks', 'list'], { home });
  expect([code, stderr]).toEqual([3, expect.stringContaining('a newer bizmsg wrote')]);
});
