// Imports, each a process of its own with a state folder of its own, and what they took.
import { once } from 'node:events';
import { bizmsg, launch, newPath } from '../rig/processes.mjs';
import { cpuOf, peakOf } from '../rig/usage.mjs';

export const key = 'sk_test_bench0123456789';

/** From its start to its end; CPU is what one row cost, in microseconds. */
export function runImport(server, { file, count, state = newPath('state'), words = [] }) {
  return run(startImport(server, { file, state, words }), count);
}

export function startImport({ url }, { file, state, words = [] }) {
  return start(['contacts', 'import', file, '--quiet', ...words], state, url);
}

/** Of a server that is not there, where nothing is to be called. */
export function start(words, state, url = 'http://127.0.0.1:1') {
  return launch([bizmsg, ...words], 'pipe', {
    BIZMSG_API_KEY: key,
    BIZMSG_BASE_URL: url,
    BIZMSG_STATE_DIR: state,
  });
}

/** CPU and memory are looked at until shortly before the end: what comes later is known to nobody. */
export async function run(child, count = 1) {
  const began = performance.now();
  let [cpu, peak] = [undefined, undefined];
  const watch = setInterval(() => {
    cpu = cpuOf(child.pid) || cpu;
    peak = peakOf(child.pid) ?? peak;
  }, 10);
  child.stdout.resume();
  const [code] = await once(child, 'exit');
  clearInterval(watch);
  if (code !== 0) throw new Error(`${child.spawnargs.join(' ')}: exit ${code}`);
  const seconds = (performance.now() - began) / 1_000;
  return { seconds, perSecond: count / seconds, cpu: cpu && cpu / count, peak };
}
