import { describe, expect, it } from 'vitest';
import { createBoth } from './both.ts';
import { drivers } from './drivers.ts';
import { createModel } from './model.ts';
import { sequences } from './sequences.ts';
import { createStoreWorld } from './store-world.ts';

describe.each(drivers)('$where, as in the model,', ({ open }) => {
  it.each(sequences)('$name', async ({ steps, expected }) => {
    const world = createBoth(createModel(), createStoreWorld(await open()));
    const results = [];
    for (const step of steps) results.push(await step(world));
    expect(results).toEqual(expected);
  });
});
