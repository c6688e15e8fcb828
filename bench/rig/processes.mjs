// Starts the measured processes, and ends them with this one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const rivals = join(import.meta.dirname, '../rivals');
export const bizmsg = join(import.meta.dirname, '../../bin/bizmsg.js');
const home = mkdtempSync(join(tmpdir(), 'bizmsg-bench-'));
const memory = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/bizmsg-bench-') : home;
const running = new Set();
let files = 0;

/** Returns a new path in a temporary folder. */
export function newPath(name) {
  return join(home, `${++files}-${name}`);
}

/** The same in memory, for what is synced: otherwise it would measure the disk. */
export function newMemoryPath(name) {
  return join(memory, `${++files}-${name}`);
}

export function writeJson(name, value) {
  const path = newPath(name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

/** Starts a server that prints its port. */
export async function startServer(name, key, ...words) {
  const { child, line, took } = await start(words);
  return { name, url: `http://127.0.0.1:${parseInt(line, 10)}`, key, pid: child.pid, took, end: () => end(child) };
}

export async function endAll() {
  await Promise.all([...running].map((child) => end(child)));
  for (const folder of [home, memory]) rmSync(folder, { recursive: true, force: true });
}

/** Starts a process and waits for its first line; `lines` has the following ones. */
export async function start(words, variables) {
  const begun = performance.now();
  const child = launch(words, 'pipe', variables);
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
  if (child.exitCode !== null) throw new Error(`${words.join(' ')}: exit ${child.exitCode}`);
  return { child, lines, line: String(line[0]), took: performance.now() - begun };
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a script of Node. */
export function launch(words, output, variables) {
  return launchAny([process.execPath, ...words], output, variables);
}

export function launchAny([program, ...words], output, variables) {
  const child = spawn(program, words, { stdio: ['ignore', output, 'inherit'], env: environment(variables) });
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

export async function end(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await gone;
  clearTimeout(late);
}

// Without NODE_EXTRA_CA_CERTS, which would add 30 ms to every start and improve every ratio.
export function environment(variables) {
  return { PATH: process.env.PATH, HOME: home, ...variables };
}
