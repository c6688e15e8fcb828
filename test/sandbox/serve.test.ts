import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { httpRequest } from '../../src/base/http-request.ts';
import { defaultData, leadsTo, locatorsIn, removeLocator } from '../../src/sandbox/remote/locator.ts';
import { openRemote } from '../../src/sandbox/remote/remote.ts';
import { serve, type ServeOptions } from '../../src/sandbox/serve.ts';
import { newHome } from '../support/fake-service.ts';
import { defaultSandbox, serveOptions } from '../support/local.ts';
import { isWindows } from '../support/system.ts';

it('is found while it serves, but not afterwards', async () => {
  const options = serveOptions(newHome());
  const served = await serve(options);
  const running = await defaultSandbox(options.stateFolder);
  expect(running).toMatchObject(served.locator);
  expect(await httpRequest(`${running?.url}/`)).toMatchObject({ status: 401 });
  await served.close();
  expect(await defaultSandbox(options.stateFolder)).toBeUndefined();
});

it.each(['', '{', 'null', '[]', '{"port":4780}', '{"port":"4780","pid":1}'])(
  'is found beside a locator with the content %s',
  async (text) => {
    const options = serveOptions(newHome());
    const served = await serve(options);
    onTestFinished(() => served.close());
    writeFileSync(join(options.stateFolder, 'sandboxes', '1.json'), text);
    expect(locatorsIn(options.stateFolder)).toEqual([served.locator]);
  },
);

it('keeps its locator if the sandbox that used the port before ends', async () => {
  const options = serveOptions(newHome());
  const served = await serve(options);
  onTestFinished(() => served.close());
  removeLocator(options.stateFolder, { port: served.locator.port, token: 'of the other' });
  expect(locatorsIn(options.stateFolder)).toEqual([served.locator]);
});

it.each([
  ['http://127.0.0.1:4780', 'ipv4', true],
  ['http://localhost:4780/x', 'ipv4', true],
  ['http://[::1]:4780', 'both', true],
  ['http://[::1]:4780', 'ipv4', false],
  ['http://127.0.0.1:4781', 'both', false],
  ['https://127.0.0.1:4780', 'both', false],
] as const)('%s leads to a sandbox with the loopback addresses %s: %s', (url, loopback, leads) => {
  expect(leadsTo({ port: 4780, url: 'http://127.0.0.1:4780', loopback }, url)).toBe(leads);
});

it('locks its folder, and reports the address of the owner', async () => {
  const options = serveOptions(newHome());
  const served = await serve(options);
  const message: unknown = expect.stringContaining(served.locator.url);
  await expect(serve(options)).rejects.toMatchObject({ exit: 'configuration', code: 'sandbox-running', message });
  await served.close();
  await (await serve(options)).close();
});

it('gives up on a folder that stays locked', async () => {
  const options = serveOptions(newHome());
  const release = lock(options);
  let now = 0;
  await expect(serve({ ...options, host: { ...options.host, now: () => (now += 3_000) } })).rejects.toMatchObject({
    code: 'sandbox-running',
    message: expect.stringContaining('process'),
  });
  release();
});

it('reports that it cannot lock its folder without SQLite', async () => {
  const options = serveOptions(newHome());
  const host = { ...options.host, sqlite: () => undefined };
  await expect(serve({ ...options, host })).rejects.toMatchObject({ exit: 'configuration', code: 'no-sqlite' });
});

it('hands over to a waiting sandbox only once everything is saved', async () => {
  const options = serveOptions(newHome());
  const first = await serve(options);
  const closing = first.close();
  const second = await serve(options);
  const key = second.sandbox.keys.create('full');
  await closing;
  expect(first.sandbox.keys.list()).toEqual(second.sandbox.keys.list().filter(({ id }) => id !== key.id));
  await second.close();
});

it('reports why it should end', async () => {
  const served = await serve(serveOptions(newHome()));
  const stopping = openRemote(served.locator).stop();
  expect(await served.ending).toBe('stopped');
  await served.close();
  await stopping;
  const idle = await serve({ ...serveOptions(newHome()), idle: 1 });
  expect(await idle.ending).toBe('idle');
  await idle.close();
});

it('releases port and lock if it cannot write its locator', async () => {
  const options = serveOptions(newHome());
  const first = await serve(options);
  const { port } = first.locator;
  await first.close();
  const inTheWay = join(options.stateFolder, 'sandboxes', `${port}.json`);
  mkdirSync(inTheWay);
  await expect(serve({ ...options, port })).rejects.toMatchObject({ code: isWindows ? 'EPERM' : 'EISDIR' });
  rmSync(inTheWay, { recursive: true });
  const again = await serve({ ...options, port });
  await again.close();
  expect(again.locator.port).toBe(port);
});

it('has a new token at every start: another program may have got the last one from an open page', async () => {
  const options = serveOptions(newHome());
  const token = async () => {
    const { locator, close } = await serve(options);
    await close();
    return locator.token;
  };
  expect(await token()).not.toBe(await token());
});

/** Locks the folder as another process would; returns a function that releases it. */
function lock({ stateFolder }: ServeOptions): () => void {
  const folder = defaultData(stateFolder);
  mkdirSync(folder, { recursive: true });
  const sqlite = loadSqlite();
  if (!sqlite) throw new Error('SQLite is missing');
  const database = new sqlite.DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  database.exec('BEGIN EXCLUSIVE');
  return () => database.close();
}
