import { describe, expect, it } from 'vitest';
import { profileName, unknownProfile } from '../../../src/session/profiles/store.ts';
import { quoted } from '../../support/system.ts';
import { thrown } from '../../support/thrown.ts';

describe('the name of a profile', () => {
  it.each(['acme', 'Acme 2', '$(touch pwned)', '__proto__', 'constructor', 'größe', 'x'.repeat(64)])(
    'may be %j',
    (name) => {
      expect(profileName(name)).toBe(name);
    },
  );

  it.each(['', ' ', 'a\nb', 'a\u001b[31m', 'a\u202eb', 'local', 'Local', 'x'.repeat(65)])('must not be %j', (name) => {
    expect(thrown(() => profileName(name))).toMatchObject({ exit: 'usage' });
  });

  it.each([
    ['acmee', 'acme'],
    ['acm', 'acme'],
    ['amce', 'acme'],
    ['ACME', 'acme'],
    ['Local', 'local'],
    ['big_shop', "'Big Shop'"],
    ['prodcutoin', 'production'],
    ['$(whoaim)', "'$(whoami)'"],
  ])('%j leads to the suggestion %s, quoted for the shell', (typed, meant) => {
    expect(unknownProfile(typed, ['acme', 'production', 'Big Shop', '$(whoami)'])).toMatchObject({
      exit: 'configuration',
      code: 'unknown-profile',
      message: `there is no profile "${typed}"`,
      hint: expect.stringContaining(`did you mean ${quoted(meant)}?`),
    });
  });

  it('without a similar one leads to a list of all', () => {
    const { hint } = unknownProfile('staging', ['acme', '$(beta)']);
    expect(hint).toBe(quoted("the profiles are acme, '$(beta)'; --profile local is the sandbox on this machine"));
  });
});
