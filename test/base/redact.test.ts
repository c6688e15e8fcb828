import { describe, expect, it } from 'vitest';
import { redact, withoutSecrets } from '../../src/base/redact.ts';

const live = 'sk_live_7Rw1Kc5NbY6uJe0S';
const bare = 'Zt5hWq8LpXc2Vn9BdK4m';

describe('redact', () => {
  it.each([
    ['a key of its own form', `the key ${live} is`, 'the key sk_live_…Je0S is'],
    ['a given secret', `the key ${bare} is`, 'the key …dK4m is'],
    ['a given secret, twice', `${bare}${bare}`, '…dK4m…dK4m'],
    ['a given secret with a line break in it', 'Zt5hWq8Lp\r\n  Xc2Vn9BdK4m!', '…dK4m!'],
    ['a given secret with JSON escapes in it', String.raw`"Zt5hWq8Lp\n\u200bXc2Vn9BdK4m"`, '"…dK4m"'],
    ['a given secret with a space of no width in it', 'Zt5hWq\u200b8LpXc2Vn9BdK4m', '…dK4m'],
    ['a given secret after its own beginning', `Zt5hZt5h\n${bare}`, 'Zt5hZt5h\n…dK4m'],
    ['an unknown key with a space of no width in it', 'sk_li\u200bve_7Rw1K\u200bc5NbY6uJe0S', 'sk_live_…Je0S'],
    ['an unknown key with an escaped one', String.raw`sk_live_7Rw1K\u200bc5NbY6uJe0S`, 'sk_live_…Je0S'],
    ['a key that is shown already', 'sk_live_…Je0S', 'sk_live_…Je0S'],
    ['marks of no width, where they hide nothing', 'a\u200bb', 'a\u200bb'],
    ['other text', `Zt5hWq8 LpXc2 and more`, `Zt5hWq8 LpXc2 and more`],
  ])('takes care of %s', (_, text, expected) => {
    expect(redact(text, [bare])).toBe(expected);
  });

  it('shows no more of a key whose end means something in a replacement', () => {
    expect(redact('x Zt5hWq8LpXc2Vn9B$&$` y', ['Zt5hWq8LpXc2Vn9B$&$`'])).toBe('x …$&$` y');
  });

  it('leaves a short secret alone where its characters stand apart', () => {
    expect(redact('to be', ['tobe'])).toBe('to be');
  });
});

it('withoutSecrets leaves alone what is only written like a key', () => {
  expect(withoutSecrets(`${live} ${bare}`, [bare])).toBe(`${live} …dK4m`);
});
