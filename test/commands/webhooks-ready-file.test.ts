import * as fs from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { portOf } from '../../src/base/http-server.ts';
import { cli, type Ran } from '../support/cli.ts';
import { makePipe } from '../support/disk.ts';
import { newHome } from '../support/fake-service.ts';

let [home, file] = ['', ''];
beforeEach(() => {
  home = newHome();
  file = join(home, 'ready.json');
});

const content = () => fs.readFileSync(file, 'utf8');
const refused = (port = '0') => cli(['webhooks', 'listen', '--port', port, '--ready-file', file], { home });

/** Starts a listener in this process; the returned function ends it. */
async function ready(): Promise<() => Promise<Ran>> {
  const over = new AbortController();
  onTestFinished(() => over.abort('SIGINT'));
  const ran = cli(['webhooks', 'listen', '--port', '0', '--ready-file', file], { home, signal: over.signal });
  await expect.poll(() => fs.existsSync(file) && content().includes(`"pid":${process.pid}`)).toBe(true);
  return () => {
    over.abort('SIGINT');
    return ran;
  };
}

it('does not replace a file that no listener has written', async () => {
  fs.writeFileSync(file, 'keep');
  const { code, stderr } = await refused();
  expect([code, content()]).toEqual([2, 'keep']);
  expect(stderr).toContain(`"${file}" exists and was not written by a listener`);
});

it('replaces the file of a dead listener', async () => {
  fs.writeFileSync(file, '{"type":"ready","url":"http://127.0.0.1:4781","port":4781,"sandbox":null,"pid":4194305}\n');
  const end = await ready();
  expect([(await end()).code, fs.existsSync(file)]).toEqual([0, false]);
});

it('is not removed at the end if another file has its name', async () => {
  const end = await ready();
  fs.writeFileSync(file, '{"type":"ready","url":"http://127.0.0.1:1"}\n');
  expect([(await end()).code, content()]).toEqual([0, '{"type":"ready","url":"http://127.0.0.1:1"}\n']);
});

it('of a running listener is not replaced by a second listener', async () => {
  await ready();
  const before = content();
  const { code, stderr } = await refused();
  expect([code, content()]).toEqual([2, before]);
  expect(stderr).toContain(`"${file}" is the ready file of process ${process.pid}, which is still running`);
});

it('of a running listener is not replaced by one whose port is in use', async () => {
  await ready();
  const before = content();
  expect([(await refused(String(await busyPort()))).code, content()]).toEqual([3, before]);
});

it('cannot be a folder', async () => {
  fs.mkdirSync(file);
  const { code, stderr } = await refused();
  expect([code, stderr]).toEqual([2, expect.stringContaining(`"${file}" cannot be used as a ready file`)]);
});

it.each([
  ['a pipe', () => makePipe(file)],
  ['a link', () => fs.symlinkSync(join(home, 'elsewhere'), file)],
  ['a link to a device', () => fs.symlinkSync('/dev/null', file)],
])('cannot be %s, which is not read or removed', async (_, make) => {
  make();
  const before = fs.lstatSync(file).ino;
  expect([(await refused()).code, fs.lstatSync(file).ino]).toEqual([2, before]);
});

it('is not written through a link', async () => {
  const mine = join(home, 'mine.txt');
  fs.writeFileSync(mine, 'keep');
  for (const name of [`${file}.new`, `${file}.${process.pid}.new`]) fs.symlinkSync(mine, name);
  const end = await ready();
  expect((await end()).code).toBe(0);
  expect(fs.readFileSync(mine, 'utf8')).toBe('keep');
});

it('cannot be in a missing folder', async () => {
  file = join(home, 'none', 'ready.json');
  const { code, stderr } = await refused();
  expect([code, stderr]).toEqual([2, expect.stringContaining(`"${file}" cannot be used as a ready file`)]);
});

async function busyPort(): Promise<number> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return portOf(server);
}
