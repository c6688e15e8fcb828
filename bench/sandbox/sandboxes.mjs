// Starts sandboxes, each with its own state folder.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bizmsg, end, environment, newPath, start } from '../rig/processes.mjs';

/** Starts a sandbox; with the folder of an earlier one, it continues from its journal. */
export async function startSandbox(name, { folder } = {}) {
  const state = folder ?? newPath('state');
  const words = [bizmsg, 'sandbox', 'start', '--port', '0', '-o', 'ndjson'];
  const { child, line, took } = await start(words, inFolder(state));
  const { port } = JSON.parse(line);
  const { url, keys, token } = JSON.parse(readFileSync(join(state, 'sandboxes', `${port}.json`), 'utf8'));
  const journal = join(state, 'sandbox/journal.ndjson');
  const key = keys.sandbox;
  return { name, url, key, token, pid: child.pid, took, folder: state, journal, end: () => end(child, 'SIGINT') };
}

/** Freezes the clock, so that no receipts are due. */
export async function freeze({ url, token }) {
  const headers = { 'x-sandbox-token': token, 'content-type': 'application/json' };
  const { status } = await fetch(`${url}/__sandbox/freezeClock`, { method: 'POST', headers, body: '{}' });
  if (status !== 200) throw new Error(`the clock cannot be frozen: ${status}`);
}

/** Runs a command for the sandbox of this folder. */
export function runCommand(sandbox, ...words) {
  const ran = spawnSync(process.execPath, [bizmsg, 'sandbox', ...words], {
    env: environment(inFolder(sandbox.folder)),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (ran.status !== 0) throw new Error(`bizmsg sandbox ${words.join(' ')}: exit ${ran.status}: ${ran.stderr}`);
  return ran.stdout;
}

function inFolder(state) {
  return { BIZMSG_STATE_DIR: state };
}
