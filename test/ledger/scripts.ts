import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';

const bin = fileURLToPath(new URL('../../bin/sqlite.js', import.meta.url));
const source = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../src/${path}`, import.meta.url)));

/** Bundles what the scripts import: a ledger in a folder, and packed rows. */
const library = `
export { createInput } from ${source('ledger/input.ts')};
export { hostIn } from ${source('base/liveness.ts')};
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { openLedger } from ${source('ledger/open.ts')};
import { createInput } from ${source('ledger/input.ts')};
const { loadSqlite } = createRequire(import.meta.url)(${JSON.stringify(bin)});
const kill = (pid) => { try { return process.kill(pid, 0); } catch { return false; } };
const later = (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer); };
export const account = 'https://api.example.com';
export const open = (stateFolder, { isLocal = false, isLive = false, now = Date.now } = {}) => openLedger({
  stateFolder, isLocal, isLive, note() {},
  host: { pid: process.pid, kill, now, later, random: Math.random, sqlite: loadSqlite, steady: () => performance.now() },
});
export const singleOf = () => ({ single: { account, mode: 'live', kind: 'message', template: 'welcome' } });
const about = { command: 'send-batch', typed: 'bizmsg', file: undefined, rows: 0, invalid: 0 };
export const planOf = (rows, choice = {}) => {
  const input = createInput();
  for (const row of rows) input.add(row);
  return { account, mode: 'live', kind: 'message', template: 'welcome', about, input, choice };
};
`;

/** Writes a script that may import './library.mjs'. */
export async function scriptIn(home: string, text: string): Promise<string> {
  const [main, script] = [join(home, 'library.ts'), join(home, 'script.mjs')];
  writeFileSync(main, library);
  const bundle = await rolldown({ input: main, platform: 'node', external: [bin] });
  await bundle.write({ file: join(home, 'library.mjs'), format: 'esm', codeSplitting: false });
  await bundle.close();
  writeFileSync(script, text);
  return script;
}

/** Runs a script below a command, given by its words; returns its output and how it ended. */
export async function runUnder(prefix: readonly string[], script: string, ...words: readonly string[]) {
  const [name = '', ...rest] = [...prefix, process.execPath, script, ...words];
  const child = spawn(name, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code, signal]: unknown[] = await once(child, 'close');
  return { lines: printed.split('\n').filter(Boolean), code, signal };
}
