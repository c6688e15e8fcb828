import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isLong } from '../support/long-tests.ts';
import { drivers, inMemory } from './drivers.ts';
import { createMachine } from './machine.ts';
import { check, steps } from './model.ts';

const numRuns = Number(process.env['BIZMSG_MODEL_RUNS'] ?? (isLong ? 300 : 50));
const timeout = 20_000 + numRuns * 400;

it.each(drivers)('sends nothing twice, $where', { timeout }, async ({ driver }) => {
  await fc.assert(
    fc.asyncProperty(steps, (steps) => check(createMachine(driver), steps)),
    { numRuns: driver === inMemory ? numRuns : Math.ceil(numRuns / 3) },
  );
  expect.assertions(0);
});
