import { describe, expect, it } from 'vitest';
import { choices } from '../../../src/sandbox/api/choices.ts';
import { answerProofs } from './chosen-answers.ts';
import { eventProofs } from './chosen-events.ts';
import { triggerProofs } from './chosen-triggers.ts';
import { overHttp } from '../over-http.ts';
import { served } from '../served.ts';

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
