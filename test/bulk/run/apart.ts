import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';

export const concurrency = 16;

/** A service that counts what arrives, and answers after a while that is never the same. */
export interface Counting {
  readonly port: number;
  /** How often each row arrived. */
  readonly arrived: ReadonlyMap<string, number>;
  /** Resolves when so many more have. */
  until(count: number): Promise<void>;
}

export async function startCounting(random: () => number): Promise<Counting> {
  const arrived = new Map<string, number>();
  let [total, wanted, tell] = [0, Infinity, () => {}];
  const server = createServer((request, response) => {
    const row = request.url ?? '';
    arrived.set(row, (arrived.get(row) ?? 0) + 1);
    if (++total >= wanted) tell();
    setTimeout(() => response.end('{}'), random() * 8);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      [wanted, tell] = [total + count, resolve];
    });
  return { port, arrived, until };
}

/** The engine as a script that runs so many rows, and prints its summary. */
export async function engineScript(home: string): Promise<string> {
  const [main, script] = [join(home, 'main.ts'), join(home, 'engine.mjs')];
  writeFileSync(main, text);
  const bundle = await rolldown({ input: main, platform: 'node' });
  await bundle.write({ file: script, format: 'esm' });
  await bundle.close();
  return script;
}

export interface Apart {
  kill(): void;
  /** What it printed, empty when it was killed. */
  readonly ended: Promise<string>;
}

export function runApart(script: string, stateFolder: string, port: number, rows: number): Apart {
  const words = [script, stateFolder, String(port), String(rows)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return { kill: () => void child.kill('SIGKILL'), ended: once(child, 'close').then(() => printed) };
}

const source = new URL('../../../src/', import.meta.url).pathname;

const text = `
import { Agent, request } from 'node:http';
import { openRun } from '${source}bulk/run/open.ts';
import { runRows } from '${source}bulk/run/run-rows.ts';
import { CliError } from '${source}errors.ts';
const [stateFolder, port, count] = process.argv.slice(2);
const kill = (pid) => { try { return process.kill(pid, 0); } catch { return false; } };
const later = (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer); };
const agent = new Agent({ keepAlive: true });
const send = (content, leaving) => new Promise((resolve, reject) => {
  leaving();
  request({ agent, port, path: '/' + content, method: 'POST' }, (answer) => answer.resume().on('end', resolve))
    .on('error', (cause) => reject(new CliError('unsure', 'connection-lost', cause.message, { done: 'unknown' })))
    .end();
});
const row = (number) => ({ number, line: number + 1, raw: [], fields: {}, content: String(number) });
async function* rows() {
  for (let at = 1; at <= Number(count); at += 50) {
    yield Array.from({ length: Math.min(50, Number(count) - at + 1) }, (_, index) => row(at + index));
  }
}
const identity = { kind: 'import', content: count, file: '/x', mapping: '', address: port, mode: 'sandbox', keyDigest: '' };
const run = await openRun({
  stateFolder, identity, rows: Number(count), read: rows, pid: process.pid, kill, now: Date.now, later,
  shown: { path: 'x', flags: [], key: '' },
  flags: { resume: true, newKey: false, restart: false, allowRepeat: false, allowUnsure: false },
  failedFile: () => undefined,
  writerOf: () => undefined,
});
if (run.action === 'tell') {
  process.stdout.write(JSON.stringify(run.summary));
} else {
  const never = new AbortController().signal;
  const summary = await runRows({
    run, rows: rows(), send, reachable: async () => true, concurrency: ${concurrency},
    signals: { stop: never, leave: never }, clock: { now: Date.now, later },
  });
  await run.close();
  process.stdout.write(JSON.stringify(summary));
}
agent.destroy();
`;
