// Starts the measured processes, ends them with this one, and reads their memory, which only Linux tells.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const bizmsg = join(import.meta.dirname, '../../bin/bizmsg.js');
export const keys = { sandbox: 'sk_test_bench0123456789', live: 'sk_live_bench0123456789' };
/** In memory, because the disk of the machine is not what is measured. */
const home = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bizmsg-bench-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
const running = new Set();
let files = 0;

/** The path of a program in `rivals`. */
export function rival(name) {
  return join(import.meta.dirname, '../rivals', name);
}

/** A new path in a temporary folder. */
export function newPath(name) {
  return join(home, `${++files}-${name}`);
}

/** Writes a file with a phone, a name and a city in each row, and returns its path. */
export function writePeople(count, first = 0) {
  const path = newPath('people.csv');
  const rows = Array.from({ length: count }, (_, n) => `+1${2_025_550_000 + first + n},Grace Hopper ${n},Arlington\n`);
  writeFileSync(path, `phone,name,city\n${rows.join('')}`);
  return path;
}

/** A folder of settings with one profile, "acme". */
export function writeProfile(profile) {
  const folder = newPath('config');
  mkdirSync(folder);
  const profiles = { acme: { mode: 'sandbox', keys: { sandbox: keys.sandbox }, ...profile } };
  writeFileSync(join(folder, 'profiles.json'), JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
  return folder;
}

// Without NODE_EXTRA_CA_CERTS, which would add 30 ms to every start and improve every ratio.
export function environment(variables) {
  return { PATH: process.env.PATH, HOME: home, ...variables };
}

/** Starts a script of Node. */
export function launch(words, variables, output = 'ignore') {
  const child = spawn(process.execPath, words, { stdio: ['ignore', output, 'pipe'], env: environment(variables) });
  child.notes = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (child.notes += text));
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

/** Starts a script and waits for its first line. */
export async function start(words, variables) {
  const child = launch(words, variables, 'pipe');
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
  if (child.exitCode !== null) throw new Error(`${words.join(' ')}: exit ${child.exitCode}: ${child.notes}`);
  return { pid: child.pid, lines, line: String(line) };
}

/** Starts a server that prints its port. */
export async function startServer(name, ...words) {
  const { line, ...server } = await start(words);
  return { ...server, name, url: `http://127.0.0.1:${line}` };
}

/** Runs a script to its end: milliseconds in all and of CPU, and peak memory in bytes. */
export async function run(words, variables) {
  const [began, before] = [performance.now(), cpuOfEnded()];
  const child = launch(words, variables);
  let peak = NaN;
  // It cannot be read afterwards.
  const watch = setInterval(() => (peak = memoryOf(child.pid, 'VmHWM') || peak), 10);
  const [code] = await once(child, 'exit');
  clearInterval(watch);
  if (code !== 0) throw new Error(`${words.join(' ')}: exit ${code}: ${child.notes}`);
  return { took: performance.now() - began, cpu: cpuOfEnded() - before, peak };
}

/** Milliseconds of CPU of all ended children, in ticks of 10 ms. */
function cpuOfEnded() {
  const [, fields] = readFileSync('/proc/self/stat', 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(13, 15).map(Number);
  return 10 * (user + system);
}

/** Ends all that are running. */
export async function endAll() {
  const ends = [...running].map((child) => once(child, 'exit'));
  for (const child of running) child.kill();
  await Promise.all(ends);
}

/** Resident memory in bytes, its peak as VmHWM; NaN once it has ended. */
export function memoryOf(pid, field = 'VmRSS') {
  const path = `/proc/${pid}/status`;
  const status = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1_024;
}

/** Installs a package in exactly this version in a cache, without its scripts; returns its folder. */
export function install(name, version) {
  const prefix = join(import.meta.dirname, `../../node_modules/.cache/bench/${name}-${version}`);
  const folder = join(prefix, 'node_modules', name);
  if (existsSync(folder)) return folder;
  mkdirSync(prefix, { recursive: true });
  const words = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--engine-strict=false', '--prefix', prefix];
  const { status, stderr } = spawnSync('npm', [...words, `${name}@${version}`], { cwd: prefix, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm could not install ${name}@${version}: ${stderr}`);
  return folder;
}
