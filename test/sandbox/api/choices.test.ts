import { expect, it } from 'vitest';
import { choices } from '../../../src/sandbox/api/choices.ts';
import { alternatives } from '../../../src/sandbox/api/shapes.ts';

it('names the sections that leave each choice open', () => {
  for (const { sections, open, choice } of choices) {
    expect(sections.length).toBeGreaterThan(0);
    for (const section of sections) expect(section).toMatch(/^§[1-9](\.\d+)?$/);
    expect([open, choice]).not.toContain('');
  }
});

it('lists every alternative of a shape', () => {
  const listed = new Set(choices.flatMap(({ others = [] }) => others));
  for (const options of Object.values(alternatives))
    for (const other of options.slice(1)) expect(listed).toContain(other);
});
