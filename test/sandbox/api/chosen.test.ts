import { describe, expect, it } from 'vitest';
import { alternatives } from '../../../src/sandbox/api/shapes.ts';
import { choices } from '../../../src/sandbox/api/choices.ts';
import { overHttp } from '../over-http.ts';
import { served } from '../served.ts';
import { answerProofs } from './chosen-answers.ts';
import { eventProofs } from './chosen-events.ts';
import { triggerProofs } from './chosen-triggers.ts';

const proofs = { ...answerProofs, ...eventProofs, ...triggerProofs };

describe('for each point that the document leaves open', () => {
  it.each(Object.entries(proofs))('%s: the sandbox behaves as documented', async (_, { options, holds }) => {
    await using server = await served({}, typeof options === 'function' ? options() : options);
    await expect(holds(overHttp(server))).resolves.toBeUndefined();
  });

  it('there is a choice and a test', () => {
    expect(Object.keys(proofs).sort()).toEqual(choices.map(({ open }) => open).sort());
  });
});

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
