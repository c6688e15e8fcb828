// Measures how long programs take, from spawn to exit.
import { spawnSync } from 'node:child_process';
import { environment } from '../rig/processes.mjs';
import { median } from '../rig/quantiles.mjs';
import { milliseconds } from '../rig/table.mjs';

/** Returns median times. The first three rounds are a warm-up. A contestant may have variables of its own. */
export function timed(contestants, { rounds, variables }) {
  const times = new Map(contestants.map((one) => [one, []]));
  for (let round = -3; round < rounds; round++) {
    for (const contestant of contestants) {
      const took = timeOf(contestant, variables);
      if (round >= 0) times.get(contestant).push(took);
    }
  }
  return (contestant) => median(times.get(contestant));
}

/** Compares medians, because the time of a single process varies. */
export function rowOf(took, one, other, more) {
  const [value, theirs] = [one, other].map((program) => milliseconds(took(program)));
  return { what: one.name, value, rival: `${other.name}: ${theirs}`, ratios: [took(one) / took(other)], ...more };
}

function timeOf({ name, words: [program, ...words], input = '', variables: own }, variables) {
  const began = performance.now();
  const { status, error, stderr } = spawnSync(program, words, { env: environment({ ...variables, ...own }), input });
  const took = performance.now() - began;
  if (status !== 0) throw new Error(`${name}: ${error?.message ?? `exit ${status}: ${String(stderr)}`}`);
  return took;
}
