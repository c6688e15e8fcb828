import { describe, expect, it } from 'vitest';
import { redact, redactTarget, withoutSecrets } from '../../src/base/redact.ts';

const live = 'sk_live_7Rw1Kc5NbY6uJe0S';
const bare = 'Zt5hWq8LpXc2Vn9BdK4m';
const odd = 'Gy7>Tr?4~Pw<1?Hs6~Jz';

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
    ['a given secret with a color in it', 'Zt5hWq\u001b[0m8LpXc2\u001b[1;31mVn9BdK4m!', '…dK4m!'],
    ['a given secret with an escaped color in it', String.raw`"Zt5hWq8Lp\u001b[0mXc2Vn9BdK4m"`, '"…dK4m"'],
    ['an unknown key with a color in it', 'sk_live_7Rw1K\u001b[0mc5NbY6uJe0S', 'sk_live_…Je0S'],
    ['an unknown key with an escaped color in it', String.raw`sk_live_7Rw1K\u001b[0mc5NbY6uJe0S`, 'sk_live_…Je0S'],
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

const encoders: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  'base64 in JSON of some services': (text) =>
    Buffer.from(text)
      .toString('base64')
      .replaceAll('/', String.raw`\/`),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  'upper-case hexadecimal': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  reverse: (text) => Array.from(text).reverse().join(''),
};

describe.each(Object.entries(encoders))('redact masks a secret in %s', (_, encode) => {
  it.each(['', 'a', 'ab', 'Bearer '])('after "%s"', (before) => {
    for (const secret of [bare, odd, live, 'sk_test_4f9Qm2ZpL8x'])
      for (const after of ['', 'z', 'zz']) {
        const shown = redact(`x ${encode(before + secret + after)} y`, [bare, odd]);
        const whole = encode(before + secret);
        expect(shown).toMatch(/^x .*…/);
        for (let at = 8; at < whole.length - 16; at++) expect(shown).not.toContain(whole.slice(at, at + 8));
      }
  });

  it('but no other text', () => {
    const text = `x ${encode('Authorization: Basic the quick brown fox sk_other_jumps')} y`;
    expect(redact(text, [bare])).toBe(text);
  });
});

it.each(['a', '_', '_ks', 'sk_', '_tset_ks', 'c2tfdGVzdF', '736b5f', '\u001b[', '%25', '\\'])(
  'a long text of %j is redacted in linear time',
  (part) => {
    expect(redactTarget(`${part.repeat(200_000)} ${bare}`, [bare])).toMatch(/…dK4m$/);
  },
);

describe('redactTarget', () => {
  it.each([
    ['not at all', `/x?key=${live}`],
    ['once', '/x?key=sk%5Flive%5F7Rw1Kc5NbY6uJe0S'],
    ['twice', '/x?key=%2573k_live_7Rw1Kc5NbY6uJe0S'],
    ['four times', '/x?key=%25252573k_live_7Rw1Kc5NbY6uJe0S'],
    ['twice, after a percent sign that is not a code', '/100%?key=%2573k_live_7Rw1Kc5NbY6uJe0S'],
  ])('masks a key that is percent-encoded %s', (_, target) => {
    expect(redactTarget(target)).toMatch(/^\/(?:x|100%)\?key=sk_live_…Je0S$/);
  });

  it('keeps other text as it is', () => {
    expect(redactTarget('/x?q=100%2525&name=%C3%A9')).toBe('/x?q=100%2525&name=%C3%A9');
  });
});

it('withoutSecrets does not mask unknown keys', () => {
  expect(withoutSecrets(`${live} ${bare}`, [bare])).toBe(`${live} …dK4m`);
});
