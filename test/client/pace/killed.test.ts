import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, it, onTestFinished } from 'vitest';
import { createMinuteFile } from '../../../src/client/pace/minute-file.ts';
import { alive } from '../../support/cli.ts';

const share = { kind: 'run', limit: 60, inUse: 0, finished: [], ended: undefined, heldUntil: 0, wanted: 1 } as const;

it('keeps the shared rate limit if the process is killed while the file shrinks', async () => {
  const home = mkdtempSync(join(tmpdir(), 'bizmsg-pace-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, 'pace');
  mkdirSync(folder);
  const finished = Array.from({ length: 200 }, (_, at) => [at, 1]);
  writeFileSync(join(folder, 'account'), `${JSON.stringify({ state: 'open', heldUntil: 0, finished, members: [] })}\n`);

  const child = spawn(process.execPath, [await killedAtCut(home), folder]);
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);

  const damaged: string[] = [];
  const ledger = createMinuteFile({
    folder,
    name: 'account',
    window: 60_000,
    owner: { pid: process.pid, kill: alive },
    now: () => 100_001,
    later: () => () => {},
    random: () => 0,
    onDamaged: () => void damaged.push('damaged'),
  });
  expect(await ledger.report(share)).toMatchObject({ slots: 1 });
  expect(damaged).toEqual([]);
  expect(readFileSync(join(folder, 'account'), 'utf8')).toContain('"members":[{');
});

/** A script that takes one turn, and is killed before it truncates the file. */
async function killedAtCut(home: string): Promise<string> {
  const input = new URL('../../../src/client/pace/minute-file.ts', import.meta.url).pathname;
  const bundle = await rolldown({ input, platform: 'node' });
  await bundle.write({ dir: home, format: 'esm', entryFileNames: 'file-ledger.mjs', chunkFileNames: '[name].mjs' });
  await bundle.close();
  const script = join(home, 'killed.mjs');
  writeFileSync(
    script,
    `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    fs.ftruncateSync = () => process.kill(process.pid, 'SIGKILL');
    syncBuiltinESMExports();
    const { createMinuteFile } = await import('./file-ledger.mjs');
    const kill = (pid) => { try { return process.kill(pid, 0); } catch { return false; } };
    const owner = { pid: process.pid, kill };
    const options = { window: 60_000, owner, now: () => 100_000, later: setTimeout, random: () => 0, onDamaged() {} };
    createMinuteFile({ folder: process.argv[2], name: 'account', ...options }).report(${JSON.stringify(share)});`,
  );
  return script;
}
