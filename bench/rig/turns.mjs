// Contestants that take turns, so that what else runs on the machine slows them alike.
import { median } from './quantiles.mjs';

/**
 * Each of them in every round, forwards and backwards in turns. The first round only warms them up, and no other
 * begins after so many seconds.
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
    /** Of one to the other, round by round. */
    ratios,
    /** How often one does for the same CPU what the other does once. */
    cpu,
    /** How often one answers while the other answers once, and for the same CPU. */
    pace: (one, other) => ({ ratios: ratios(one, other, 'perSecond'), cpu: cpu(one, other) }),
  };
}
