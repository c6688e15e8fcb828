// The processes that are measured: each on its own, found by its url, and ended with this one.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export const rivals = join(import.meta.dirname, '../rivals');
const bizmsg = join(import.meta.dirname, '../../bin/bizmsg.js');
const home = mkdtempSync(join(tmpdir(), 'bizmsg-bench-'));
const running = new Set();
let files = 0;

/** A name for a file or a folder that nobody has, gone in the end. */
export function newPath(name) {
  return join(home, `${++files}-${name}`);
}

export function writeJson(name, value) {
  const path = newPath(name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

/** With a folder of its own it keeps a journal; given again, it goes on from there. */
export async function startSandbox(name, { folder, ephemeral = false } = {}) {
  const state = folder ?? newPath('state');
  const words = [bizmsg, 'sandbox', 'start', '--port', '0', '-o', 'ndjson', ...(ephemeral ? ['--ephemeral'] : [])];
  const { child, line, took } = await start(words, state);
  const { port } = JSON.parse(line);
  const { url, keys } = JSON.parse(readFileSync(join(state, 'sandboxes', `${port}.json`), 'utf8'));
  const journal = join(state, 'sandbox/journal.ndjson');
  const ending = () => end(child, 'SIGINT');
  return { name, url, key: keys.sandbox, pid: child.pid, took, folder: state, journal, isSandbox: true, end: ending };
}

/** What the command line is told about that sandbox, which is the one of its folder. */
export function tell(sandbox, ...words) {
  const ran = spawnSync(process.execPath, [bizmsg, 'sandbox', ...words], {
    env: environment(sandbox.folder),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (ran.status !== 0) throw new Error(`bizmsg sandbox ${words.join(' ')}: exit ${ran.status}: ${ran.stderr}`);
  return ran.stdout;
}

/** A server that says its port. */
export async function startServer(name, key, ...words) {
  const { child, line, took } = await start(words);
  return { name, url: `http://127.0.0.1:${parseInt(line, 10)}`, key, pid: child.pid, took, end: () => end(child) };
}

/** A server that is told its port, and says nothing that could be waited for. */
export async function startSilent(name, key, wordsFor) {
  const port = await freePort();
  const child = launch(wordsFor(String(port)), 'ignore');
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = performance.now() + 20_000; ; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    if (performance.now() > deadline) throw new Error('it did not listen within 20 s');
    const answer = await fetch(url).catch(() => undefined);
    if (answer) break;
  }
  return { name, url, key, pid: child.pid, end: () => end(child) };
}

export async function endAll() {
  await Promise.all([...running].map((child) => end(child)));
  rmSync(home, { recursive: true, force: true });
}

/** Until it has said its first line. */
async function start(words, state) {
  const begun = performance.now();
  const child = launch(words, 'pipe', state);
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
  if (child.exitCode !== null) throw new Error(`${words.join(' ')}: exit ${child.exitCode}`);
  return { child, line: String(line[0]), took: performance.now() - begun };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function launch(words, output, state = newPath('state')) {
  const child = spawn(process.execPath, words, { stdio: ['ignore', output, 'inherit'], env: environment(state) });
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

async function end(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await gone;
  clearTimeout(late);
}

// NODE_EXTRA_CA_CERTS would add the same 30 ms to every start, and flatter every ratio.
function environment(state) {
  return { PATH: process.env.PATH, HOME: home, BIZMSG_STATE_DIR: state };
}
