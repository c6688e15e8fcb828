import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultData } from '../../../src/sandbox/remote/locator.ts';
import { findRunning } from '../../../src/sandbox/remote/running.ts';
import { serve, type LocatedSandbox } from '../../../src/sandbox/serve.ts';
import { cli } from '../../support/cli.ts';
import { newHome } from '../../support/fake-service.ts';
import { defaultSandbox, serveOptions } from '../../support/local.ts';

describe('the data id of a sandbox', () => {
  it('survives a restart with the same data', async () => {
    const machine = newMachine();
    const first = await machine.start();
    const id = await machine.dataId();
    expect(id).toMatch(/^[0-9a-f]{12}$/);
    await first.close();
    const second = await machine.start();
    expect(await machine.dataId()).toBe(id);
    second.sandbox.reset('all');
    const renewed = await machine.dataId();
    await second.close();
    await machine.start();
    expect([renewed === id, await machine.dataId()]).toEqual([false, renewed]);
  });

  it('is new at each start of a sandbox without a folder, even with the same seed', async () => {
    const machine = newMachine();
    await machine.start(null);
    await machine.start(null);
    const ids = (await findRunning(machine.stateFolder)).map(({ dataId }) => dataId);
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/), expect.stringMatching(/^[0-9a-f]{12}$/)]);
    expect(new Set(ids).size).toBe(2);
  });

  it.each(['messages', 'contacts', 'all'])('is renewed by sandbox reset %s before the command ends', async (what) => {
    const machine = newMachine();
    await machine.start();
    const before = await machine.dataId();
    expect(await cli(['sandbox', 'reset', what], { home: machine.home })).toMatchObject({ code: 0 });
    expect(await machine.dataId()).toMatch(/^[0-9a-f]{12}$/);
    expect(await machine.dataId()).not.toBe(before);
  });
});

function newMachine() {
  const home = newHome();
  const stateFolder = join(home, '.local/state/bizmsg');
  const data = defaultData(stateFolder);
  const start = async (folder: string | null = data): Promise<LocatedSandbox> => {
    const served = await serve({ ...serveOptions(stateFolder, { seed: 'a seed' }), data: folder });
    onTestFinished(() => served.close());
    return served;
  };
  return { home, stateFolder, data, start, dataId: async () => (await defaultSandbox(stateFolder))?.dataId };
}
