import { landmarks, type Time } from '../time/time.ts';
import { millisecondsOf, plain } from './argument-checks.ts';
import type { SandboxClock } from './types.ts';

export function clockOf(time: Time, settled: () => Promise<void>): SandboxClock {
  return {
    now: () => new Date(time.now().now),
    freeze: () => void time.freeze(),
    real: () => void time.real(),
    async advance(by) {
      try {
        const span = landmarks.find((landmark) => landmark === by) ?? millisecondsOf(by);
        // what has happened already is delivered at its own time, and not on the way
        await settled();
        await time.advance(span);
      } catch (error) {
        throw plain('clock.advance', error);
      }
    },
  };
}
