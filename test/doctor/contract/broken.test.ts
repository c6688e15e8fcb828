import { describe, expect, it } from 'vitest';
import { callerOf } from '../../support/fake-service.ts';
import { broken } from './broken.ts';
import { examine, key as usualKey, openService } from './rig.ts';

describe('a service that differs from the document in one clause', () => {
  it.each(broken)(
    'is reported for $clause only, if $how',
    async ({ clause, override, key = usualKey, prefix = '' }) => {
      const { url } = await openService((asked, ...rest) => override?.(asked, ...rest), 'http', prefix);
      const env = callerOf(url + prefix, key);
      const { differing, code } = await examine(url, [], { env });
      expect([differing, code]).toEqual([[clause], 12]);
    },
  );

  it('is tested for every clause that can be broken', async () => {
    const { url } = await openService();
    const { clauses } = await examine(url);
    const holding = [...clauses].filter(([, { verdict }]) => verdict === 'holds').map(([id]) => id);
    const breakable = holding.filter((id) => id !== 'bearer');
    expect([...new Set(broken.map(({ clause }) => clause))].sort()).toEqual(breakable.sort());
  });
});
