// Runs contestants in turns, so that other load on the machine affects them equally.
import { median } from './quantiles.mjs';

/**
 * Runs each contestant in every round, in alternating order. The first round is a warm-up, and no round starts after
 * the given seconds.
 */
export async function takeTurns(contestants, { rounds, seconds }, run) {
  const runs = new Map(contestants.map((contestant) => [contestant, []]));
  const end = performance.now() + seconds * 1_000;
  for (let round = -1; round < rounds && (round < 1 || performance.now() < end); round++) {
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const ran = await run(contestant);
      if (round >= 0) runs.get(contestant).push(ran);
    }
  }
  const each = (contestant, field) => runs.get(contestant).map((ran) => ran[field]);
  const ratios = (one, other, field, otherField = field) =>
    each(one, field).map((value, round) => value / each(other, otherField)[round]);
  const cpu = (one, other) => (each(one, 'cpu').includes(undefined) ? undefined : median(ratios(other, one, 'cpu')));
  return {
    median: (contestant, field) => median(each(contestant, field)),
    /** Ratios of one to the other, by round. */
    ratios,
    /** Ratio of work per CPU time. */
    cpu,
    /** Ratios of responses per second, and per CPU time. */
    pace: (one, other) => ({ ratios: ratios(one, other, 'perSecond'), cpu: cpu(one, other) }),
  };
}
