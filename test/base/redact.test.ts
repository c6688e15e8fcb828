import { describe, expect, it } from 'vitest';
import { redact, withoutSecrets } from '../../src/base/redact.ts';

const live = 'sk_live_7Rw1Kc5NbY6uJe0S';
const bare = 'Zt5hWq8LpXc2Vn9BdK4m';

describe('redact', () => {
  it.each([
    ['text with a key', `the key ${live} is`, 'the key sk_live_…Je0S is'],
    ['text with a given secret', `the key ${bare} is`, 'the key …dK4m is'],
    ['a given secret, twice', `${bare}${bare}`, '…dK4m…dK4m'],
    ['a given secret with a line break in it', 'Zt5hWq8Lp\r\n  Xc2Vn9BdK4m!', '…dK4m!'],
    ['a given secret with JSON escapes in it', String.raw`"Zt5hWq8Lp\n\u200bXc2Vn9BdK4m"`, '"…dK4m"'],
    ['a given secret with a zero-width space', 'Zt5hWq\u200b8LpXc2Vn9BdK4m', '…dK4m'],
    ['a given secret after its own prefix', `Zt5hZt5h\n${bare}`, 'Zt5hZt5h\n…dK4m'],
    ['an unknown key with a zero-width space', 'sk_li\u200bve_7Rw1K\u200bc5NbY6uJe0S', 'sk_live_…Je0S'],
    ['an unknown key with an escaped zero-width space', String.raw`sk_live_7Rw1K\u200bc5NbY6uJe0S`, 'sk_live_…Je0S'],
    ['a key that is masked already', 'sk_live_…Je0S', 'sk_live_…Je0S'],
    ['text with zero-width spaces but no secret', 'a\u200bb', 'a\u200bb'],
    ['a short key, which shows none of its characters', 'sk_test_4f9Qm2ZpL8x', 'sk_test_…'],
    ['other text', `Zt5hWq8 LpXc2 and more`, `Zt5hWq8 LpXc2 and more`],
  ])('masks only the secret in %s', (_, text, expected) => {
    expect(redact(text, [bare])).toBe(expected);
  });

  it('masks a key that contains replacement patterns', () => {
    expect(redact('x Zt5hWq8LpXc2Vn9B$&$` y', ['Zt5hWq8LpXc2Vn9B$&$`'])).toBe('x …$&$` y');
  });

  it('does not match a short secret across white space', () => {
    expect(redact('to be', ['tobe'])).toBe('to be');
  });
});

it('withoutSecrets does not mask unknown keys', () => {
  expect(withoutSecrets(`${live} ${bare}`, [bare])).toBe(`${live} …dK4m`);
});
