import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';

const source = new URL('../../src/ledger/', import.meta.url).pathname;

/** Bundles what the scripts import: a ledger on a folder, and packed rows. */
const library = `
export { openFileLedger } from '${source}file/file-ledger.ts';
export { createInput } from '${source}input.ts';
export { hostIn } from '${source}../base/liveness.ts';
import { openFileLedger } from '${source}file/file-ledger.ts';
import { createInput } from '${source}input.ts';
const kill = (pid) => { try { return process.kill(pid, 0); } catch { return false; } };
const later = (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer); };
export const account = { id: 'profile:acme', origin: 'https://api.example.com', isKeyDigest: false };
export const open = (folder, isLocal, now = Date.now) => openFileLedger({
  folder, isLocal, owner: { pid: process.pid, kill }, now, later, random: Math.random,
  onRepaired() {},
});
export const planOf = (rows, choice = {}) => {
  const input = createInput();
  for (const row of rows) input.add(row);
  return { account, mode: 'live', kind: 'message', template: 'welcome', input, choice };
};
`;

/** Writes a script that may import './library.mjs'. */
export async function scriptIn(home: string, text: string): Promise<string> {
  const [main, script] = [join(home, 'library.ts'), join(home, 'script.mjs')];
  writeFileSync(main, library);
  const bundle = await rolldown({ input: main, platform: 'node' });
  await bundle.write({ file: join(home, 'library.mjs'), format: 'esm', codeSplitting: false });
  await bundle.close();
  writeFileSync(script, text);
  return script;
}

/** Runs a script; returns its output and how it ended. */
export async function run(script: string, ...words: readonly string[]) {
  const child = spawn(process.execPath, [script, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code, signal]: unknown[] = await once(child, 'close');
  return { lines: printed.split('\n').filter(Boolean), code, signal };
}

/** Prefix of a script: kills the process before its nth change to the disk, n being the last argument. */
export const killedAtChange = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const [last, write] = [Number(process.argv.at(-1)), fs.writeSync];
let changes = 0;
export const print = (text) => write(1, text + '\\n');
const changing = ['openSync', 'writeSync', 'writeFileSync', 'linkSync', 'renameSync', 'rmSync', 'ftruncateSync',
  'mkdirSync', 'fsyncSync', 'fdatasyncSync', 'fdatasync'];
for (const name of changing) {
  const real = fs[name];
  fs[name] = (...words) => {
    const isRead = name === 'openSync' && (words[1] === 'r' || words[1] === fs.constants.O_NONBLOCK);
    if (!isRead && ++changes === last) process.kill(process.pid, 'SIGKILL');
    return real(...words);
  };
}
syncBuiltinESMExports();
`;
