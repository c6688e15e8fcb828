import { expect, it } from 'vitest';
import { isLong } from '../../support/long-tests.ts';
import { openMachine } from './rig.ts';
import { walk } from './walk.ts';

/** `BIZMSG_STEPS` runs more, `BIZMSG_SEED` the same again. */
const steps = Number(process.env['BIZMSG_STEPS'] ?? (isLong ? 300 : 48));
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const stepsOfOne = 12;

it(
  `does as the model in ${steps} random commands, kills, edits and waits (seed ${seed})`,
  { timeout: 60_000 + steps * 3_000 },
  async () => {
    for (let at = 0; at < steps / stepsOfOne; at++) {
      await using machine = await openMachine();
      const told: string[] = [];
      const problem = await walk(machine, seed + at, stepsOfOne, told).then(
        () => undefined,
        (error: unknown) => new Error(`BIZMSG_SEED=${seed + at}\n${told.join('\n')}`, { cause: error }),
      );
      expect(problem).toBeUndefined();
    }
  },
);
