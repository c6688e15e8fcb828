import { describe, expect, it } from 'vitest';
import { redact, redactTarget, withoutSecrets } from '../../src/base/redact.ts';

const live = 'sk_live_7Rw1Kc5NbY6uJe0S';
const bare = 'Zt5hWq8LpXc2Vn9BdK4m';
const odd = 'Gy7>Tr?4~Pw<1?Hs6~Jz';
const quoted = String.raw`Gm4"Yt8Wq\\5Nc0RlXp2`;

describe('redact', () => {
  it.each([
    ['text with a key', `the key ${live} is`, 'the key sk_live_…Je0S is'],
    ['text with a given secret', `the key ${bare} is`, 'the key …dK4m is'],
    ['a given secret, twice', `${bare}${bare}`, '…dK4m…dK4m'],
    ['a given secret in a URL', `/x?key=${encodeURIComponent(odd)}`, '/x?key=…6~Jz'],
    ['a given secret in JSON', JSON.stringify({ key: quoted }), '{"key":"…lXp2"}'],
    ['a key that is masked already', 'sk_live_…Je0S', 'sk_live_…Je0S'],
    ['a short key, which shows none of its characters', 'sk_test_4f9Qm2ZpL8x', 'sk_test_…'],
    ['other text', `Zt5hWq8 LpXc2 and more`, `Zt5hWq8 LpXc2 and more`],
  ])('masks only the secret in %s', (_, text, expected) => {
    expect(redact(text, [bare, odd, quoted])).toBe(expected);
  });

  it('masks a key that contains replacement patterns', () => {
    expect(redact('x Zt5hWq8LpXc2Vn9B$&$` y', ['Zt5hWq8LpXc2Vn9B$&$`'])).toBe('x …$&$` y');
  });
});

it.each(['a', '_', 'sk_', '%25', '\\'])('a long text of %j is redacted in linear time', (part) => {
  expect(redactTarget(`${part.repeat(200_000)} ${live}`)).toMatch(/…Je0S$/);
});

describe('redactTarget', () => {
  it.each([
    ['not at all', `/x?key=${live}`],
    ['once', '/x?key=sk%5Flive%5F7Rw1Kc5NbY6uJe0S'],
    ['once, after a percent sign that is not a code', '/100%?key=%73k_live_7Rw1Kc5NbY6uJe0S'],
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
