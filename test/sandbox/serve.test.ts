import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { acquire } from '../../src/base/lock.ts';
import { httpRequest } from '../../src/base/http-request.ts';
import { defaultData } from '../../src/sandbox/remote/locator.ts';
import { openRemote } from '../../src/sandbox/remote/remote.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serve, type ServeOptions } from '../../src/sandbox/serve.ts';
import { alive as kill } from '../support/cli.ts';
import { defaultSandbox, serveOptions } from '../support/local.ts';
import { isWindows } from '../support/system.ts';

it('is found while it serves, but not afterwards', async () => {
  const options = serveOptions(temporary());
  const served = await serve(options);
  const found = await defaultSandbox(options.stateFolder);
  expect(found).toMatchObject(served.locator);
  expect(await httpRequest(`${found?.url}/`)).toMatchObject({ status: 401 });
  await served.close();
  expect(await defaultSandbox(options.stateFolder)).toBeUndefined();
});

it('locks its folder, and reports the address of the owner', async () => {
  const options = serveOptions(temporary());
  const served = await serve(options);
  await expect(serve(options)).rejects.toMatchObject({
    exit: 'configuration',
    code: 'sandbox-running',
    message: expect.stringContaining(served.locator.url),
  });
  await served.close();
  await (await serve(options)).close();
});

it('waits for an owner that is about to end', async () => {
  const options = serveOptions(temporary());
  mkdirSync(defaultData(options.stateFolder), { recursive: true });
  const ending = acquire(join(defaultData(options.stateFolder), 'lock'), { pid: process.pid, kill });
  const starting = serve(options);
  if (ending.held) ending.release();
  expect((await starting).locator.port).toBeGreaterThan(0);
  await (await starting).close();
});

it('gives up on a folder that stays locked', async () => {
  const options = serveOptions(temporary());
  mkdirSync(defaultData(options.stateFolder), { recursive: true });
  acquire(join(defaultData(options.stateFolder), 'lock'), { pid: process.pid, kill });
  let now = 0;
  await expect(serve({ ...options, host: { ...options.host, now: () => (now += 3_000) } })).rejects.toMatchObject({
    code: 'sandbox-running',
    message: expect.stringContaining(String(process.pid)),
  });
});

it('takes over the folder of a killed sandbox', async () => {
  const options = serveOptions(temporary());
  mkdirSync(defaultData(options.stateFolder), { recursive: true });
  writeFileSync(join(defaultData(options.stateFolder), 'lock'), '999999 12345 abcd\n');
  const served = await serve(options);
  expect(served.locator.port).toBeGreaterThan(0);
  await served.close();
});

it('serves any number of sandboxes without a folder', async () => {
  const stores: unknown[] = [];
  const sandbox: ServeOptions['sandbox'] = (file) => {
    stores.push(file);
    return createSandbox();
  };
  const options = { ...serveOptions(temporary()), sandbox, data: null };
  const two = await Promise.all([serve(options), serve(options)]);
  expect(new Set(two.map(({ locator }) => locator.url)).size).toBe(2);
  expect(await defaultSandbox(options.stateFolder)).toBeUndefined();
  expect(stores).toEqual([undefined, undefined]);
  await Promise.all(two.map((served) => served.close()));
});

it('hands over to a waiting sandbox only once everything is saved', async () => {
  const options = serveOptions(temporary());
  const first = await serve(options);
  const closing = first.close();
  const second = await serve(options);
  const key = second.sandbox.keys.create('full');
  await closing;
  expect(first.sandbox.keys.list()).toEqual(second.sandbox.keys.list().filter(({ id }) => id !== key.id));
  await second.close();
});

it('reports why it should end', async () => {
  const served = await serve(serveOptions(temporary()));
  const stopping = openRemote(served.locator).stop();
  expect(await served.ending).toBe('stopped');
  await served.close();
  await stopping;
  const idle = await serve({ ...serveOptions(temporary()), idle: 1 });
  expect(await idle.ending).toBe('idle');
  await idle.close();
});

function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'bizmsg-serve-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

it('releases port and lock if it cannot write its locator', async () => {
  const options = serveOptions(temporary());
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
  const options = serveOptions(temporary());
  const token = async () => {
    const { locator, close } = await serve(options);
    await close();
    return locator.token;
  };
  expect(await token()).not.toBe(await token());
});
