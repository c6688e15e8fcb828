import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isLong } from '../support/long-tests.ts';
import { drivers, inMemory } from './drivers.ts';
import { createMachine } from './machine.ts';
import { check, steps } from './model.ts';

const numRuns = Number(process.env['BIZMSG_MODEL_RUNS'] ?? (isLong ? 100 : 50));
const timeout = 20_000 + numRuns * 400;

/** A server refuses more connections, and those of a run stay open until the end of the test. */
const mostOnServer = 15;

it.each(drivers)('sends nothing twice, $where', { timeout }, async ({ driver, where }) => {
  const most = where === 'in PostgreSQL' ? mostOnServer : numRuns;
  await fc.assert(
    fc.asyncProperty(steps, (steps) => check(createMachine(driver), steps)),
    { numRuns: Math.min(most, driver === inMemory ? numRuns : Math.ceil(numRuns / 3)) },
  );
  expect.assertions(0);
});
