// Runs imports in separate processes and state folders, and measures them.
import { once } from 'node:events';
import { bizmsg, launch, newPath } from '../rig/processes.mjs';
import { cpuOf, peakOf } from '../rig/usage.mjs';

export const key = 'sk_test_bench0123456789';

/** Runs an import. `cpu` is in microseconds per row. */
export function runImport(server, { file, count, state = newPath('state'), words = [], preload }) {
  return run(startImport(server, { file, state, words, preload }), count);
}

export function startImport({ url }, { file, state, words = [], preload }) {
  return start(['contacts', 'import', file, '--quiet', ...words], state, { url, preload });
}

/** Starts a command; by default with a closed port as the service. */
export function start(words, state, { url = 'http://127.0.0.1:1', preload } = {}) {
  return launch([...(preload ? ['--require', preload] : []), bizmsg, ...words], 'pipe', {
    BIZMSG_API_KEY: key,
    BIZMSG_BASE_URL: url,
    BIZMSG_STATE_DIR: state,
  });
}

/** Polls CPU and memory until the process exits, because they cannot be read afterwards. */
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
