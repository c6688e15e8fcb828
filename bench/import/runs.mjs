// Runs imports in separate processes and state folders, and measures them.
import { once } from 'node:events';
import { bizmsg, launch, newPath } from '../rig/processes.mjs';
import { cpuOf, peakOf } from '../rig/usage.mjs';

export const key = 'sk_test_bench0123456789';

/** Runs an import. `cpu` is in microseconds per row. */
export function runImport({ url }, { file, count, state = newPath('state'), words = [] }) {
  const program = [bizmsg, 'contacts', 'import', file, '--quiet', ...words];
  return run(launch(program, 'pipe', { BIZMSG_API_KEY: key, BIZMSG_BASE_URL: url, BIZMSG_STATE_DIR: state }), count);
}

/** Polls CPU and memory until the process exits, because they cannot be read afterwards. */
export async function run(child, count) {
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
