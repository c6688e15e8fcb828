import { readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMinuteFile } from '../../../src/client/pace/minute-file.ts';
import { settled } from '../virtual.ts';
import { createMachine, createService, window } from './machine.ts';

const share = { kind: 'single', limit: 60, inUse: 0, finished: [], ended: undefined, heldUntil: 0, wanted: 1 } as const;

describe('the pace file', () => {
  it('is private, and alone in its folder', async () => {
    const machine = await createMachine();
    (await machine.start('single', 60).slot())('done');
    expect(readdirSync(machine.folder)).toEqual([basename(machine.path)]);
    expect([machine.folder, machine.path].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it('is free immediately if its owner died', async () => {
    const machine = await createMachine();
    renameSync(machine.path, `${machine.path}.4711.12345`);
    const process = machine.start('single', 1);
    expect(process.slot()).toBeTypeOf('function');
    expect(readdirSync(machine.folder)).toEqual([basename(machine.path)]);
  });

  it('makes others wait while a process holds it, and grants a hundred and thirty of them no more than the plan', async () => {
    const machine = await createMachine();
    const service = createService(machine, 60);
    const busy = machine.start('single', 60);
    const held = `${machine.path}.${busy.pid}.`;
    renameSync(machine.path, held);
    const processes = Array.from({ length: 130 }, () => machine.start('single', 60));
    const sent = Promise.all(processes.map((process) => service.request(process)));
    await settled();
    expect(service.taken).toEqual([]);
    await machine.time.pass(1_000);
    renameSync(held, machine.path);
    await machine.time.pass(1_000);
    expect(service.taken).toHaveLength(60);
    await machine.time.pass();
    expect(new Set(await sent)).toEqual(new Set(['done']));
    expect(service.taken).toHaveLength(130);
    expect(processes.flatMap(({ failed }) => failed)).toEqual([]);
  });

  it('is left to the process that took it over from a stopped one, without an error', async () => {
    const machine = await createMachine();
    const taken = `${machine.path}.${machine.start('single', 60).pid}.`;
    const standstill = (pid: number) => {
      const [mine = ''] = readdirSync(machine.folder);
      renameSync(join(machine.folder, mine), taken);
      return pid === 0;
    };
    // A turn checks whether the owner of a slot is alive; this process is stopped there.
    await machine.start('single', 60).slot();
    await machine.time.pass(2_000);
    const ledger = createMinuteFile({
      folder: machine.folder,
      name: basename(machine.path),
      window,
      owner: { pid: process.pid, kill: standstill },
      now: machine.time.now,
      later: machine.time.later,
      random: () => 0.5,
      onDamaged: () => {},
    });
    expect(ledger.report(share)).toMatchObject({ slots: 1 });
    expect(readdirSync(machine.folder)).toEqual([basename(taken)]);
  });

  it('does not block others if a stopped process holds it, which is reported once', async () => {
    const machine = await createMachine();
    const service = createService(machine, 60);
    renameSync(machine.path, `${machine.path}.${machine.start('single', 60).pid}.`);
    const process = machine.start('single', 60);
    const sent = Promise.all([service.request(process), service.request(process)]);
    await machine.time.pass();
    expect(await sent).toEqual(['done', 'done']);
    expect(process.failed).toEqual([expect.stringContaining('another process holds')]);
    expect(machine.time.now()).toBeLessThan(5_100);
  });

  it.each([
    ['nonsense', 'nonsense\n'],
    ['other JSON', '[1,2]\n'],
    ['incomplete JSON', '{"state":"open","heldUntil":0,"finished":[[1'],
    ['invalid numbers', '{"state":"open","heldUntil":null,"finished":[],"members":[]}'],
  ])('is replaced if it contains %s, which is reported once', async (_, text) => {
    const machine = await createMachine();
    writeFileSync(machine.path, text);
    const process = machine.start('single', 60);
    for (let request = 0; request < 3; request += 1) (await process.slot())('done');
    expect(process.failed).toEqual(['damaged']);
    expect(machine.book().finished.reduce((sum, [, count]) => sum + count, 0)).toBe(3);
  });

  it('is complete after it was truncated to nothing', async () => {
    const machine = await createMachine();
    writeFileSync(machine.path, '');
    const process = machine.start('single', 60);
    expect(process.slot()).toBeTypeOf('function');
    expect(process.failed).toEqual([]);
  });

  it('does not block requests if it is not accessible, which is reported once', async () => {
    const machine = await createMachine();
    const service = createService(machine, 60);
    rmSync(machine.folder, { recursive: true });
    writeFileSync(machine.folder, 'a file where the folder should be');
    const process = machine.start('single', 60);
    const sent = Promise.all([service.request(process), service.request(process)]);
    await machine.time.pass();
    expect(await sent).toEqual(['done', 'done']);
    expect(process.failed).toEqual([expect.stringContaining('ENOTDIR')]);
  });

  it('shrinks when fewer requests count', async () => {
    const machine = await createMachine();
    const process = machine.start('run', 60);
    const releases = await Promise.all(Array.from({ length: 20 }, async () => process.slot()));
    for (const [at, release] of releases.entries()) {
      await machine.time.pass(at);
      release('done');
    }
    await machine.time.pass(120_000);
    (await machine.start('single', 60).slot())('done');
    expect(machine.book().finished).toHaveLength(1);
    expect(readFileSync(machine.path, 'utf8').split('\n')).toHaveLength(2);
  });
});
