import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createLocatorFolder, locatorsIn } from '../../../src/sandbox/remote/locator.ts';
import { serve, type LocatedSandbox } from '../../../src/sandbox/serve.ts';
import { findOrStart, type StartOptions } from '../../../src/sandbox/remote/start.ts';
import { newHome } from '../../support/fake-service.ts';
import { serveOptions } from '../../support/local.ts';

const started: LocatedSandbox[] = [];
const alive = (pid: number) => pid === process.pid;

afterEach(async () => {
  await Promise.all(started.splice(0).map((served) => served.close()));
});

it('starts a sandbox even after another starting process was killed', async () => {
  const { options } = optionsIn(newHome());
  const lock = join(createLocatorFolder(options.stateFolder), 'start.lock');
  writeFileSync(lock, '');
  const past = Date.now() / 1_000 - 16;
  utimesSync(lock, past, past);
  expect(await findOrStart(options)).toMatchObject({ build: 'b1' });
});

it('replaces a background sandbox of another build', async () => {
  const { options, spawned } = optionsIn(newHome());
  const old = await findOrStart(options);
  const locator = await findOrStart({ ...options, build: 'b2' });
  expect(locator.build).not.toBe(old.build);
  expect([spawned.length, locatorsIn(options.stateFolder).length]).toEqual([2, 1]);
});

it('uses a foreground sandbox of another build', async () => {
  const { options, spawned, start } = optionsIn(newHome());
  await start({ background: false });
  expect(await findOrStart({ ...options, build: 'b2' })).toMatchObject({ build: 'b1' });
  expect(spawned).toEqual([]);
});

it('names the log if the sandbox dies immediately', async () => {
  const { options } = optionsIn(newHome());
  const host = { ...options.host, spawnDetached: () => ({ pid: 999_999, unref() {} }) };
  await expect(findOrStart({ ...options, host })).rejects.toMatchObject({
    exit: 'configuration',
    code: 'sandbox-start',
    hint: expect.stringContaining('sandbox.log'),
  });
});

it('stops waiting after a while', async () => {
  const { options } = optionsIn(newHome());
  let now = 0;
  const spawnDetached = () => ({ pid: process.pid, unref() {} });
  const host = { ...options.host, now: () => (now += 1_000), spawnDetached };
  await expect(findOrStart({ ...options, host })).rejects.toMatchObject({ code: 'sandbox-start' });
});

it('stops immediately when interrupted', async () => {
  const { options } = optionsIn(newHome());
  const interruption = new AbortController();
  const spawnDetached = () => {
    interruption.abort('SIGINT');
    return { pid: process.pid, unref() {} };
  };
  const host = { ...options.host, signal: interruption.signal, spawnDetached };
  await expect(findOrStart({ ...options, host })).rejects.toThrow('aborted');
  expect(existsSync(join(options.stateFolder, 'sandboxes', 'start.lock'))).toBe(false);
});

/** A host whose child processes are sandboxes in this process; a signal ends them. */
function optionsIn(stateFolder: string) {
  const spawned: unknown[][] = [];
  let build = 'b1';
  const start = async ({ background }: { background: boolean }) => {
    const served = await serve({ ...serveOptions(stateFolder), background, build });
    void served.ending.then(() => served.close());
    started.push(served);
  };
  const options: StartOptions = {
    stateFolder,
    command: ['bizmsg', 'sandbox', 'start'],
    build,
    host: {
      env: {},
      now: Date.now,
      signal: new AbortController().signal,
      kill: (pid) => alive(pid),
      spawnDetached: (...call) => {
        spawned.push(call);
        void start({ background: true });
        build = 'b2';
        return { pid: process.pid, unref() {} };
      },
    },
  };
  return { options, spawned, start };
}
