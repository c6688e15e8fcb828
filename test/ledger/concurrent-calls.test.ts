import { describe, expect, it } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import type { Sqlite, SqliteStatement } from '../../src/base/host.ts';
import { openByDigest } from './opened.ts';
import { accepted, message, messages, planOf, temporaryFolder } from './rig.ts';

describe('concurrent calls', () => {
  it('share one commit', async () => {
    let commits = 0;
    const sqlite = () => counting(() => (commits += 1));
    const ledger = await openByDigest(temporaryFolder(), { isLocal: true, host: { sqlite } });
    const { run } = accepted(await ledger.register(planOf('ada:1 bob:1 cyd:1 dan:1')));
    const [ada, bob, cyd, dan] = [message('ada:1'), message('bob:1'), message('cyd:1'), message('dan:1')];
    const claim = (row: Uint8Array) => ledger.claim([row], { run });
    const settle = (row: Uint8Array) => ledger.settle([{ run, row, outcome: 'done' }]);
    const counted = async (act: () => Promise<unknown>) => {
      const before = commits;
      await act();
      return commits - before;
    };
    await claim(ada);
    const apart = await counted(async () => {
      await settle(ada);
      await claim(bob);
    });
    const together = await counted(() => Promise.all([settle(bob), claim(cyd)]));
    const many = await counted(() => Promise.all([settle(cyd), claim(dan), claim(cyd), settle(dan)]));
    expect([apart, together, many]).toEqual([2, 1, 1]);
    await ledger.close();
  });

  it('get the same results as sequential calls', async () => {
    const folder = temporaryFolder();
    const ledger = await openByDigest(folder);
    const { run } = accepted(await ledger.register(planOf('ada:1 bob:1')));
    const [ada, bob] = [message('ada:1'), message('bob:1')];
    const results = await Promise.all([
      ledger.claim([ada], { run }),
      ledger.claim([ada, bob], { run }),
      ledger.settle([{ run, row: ada, outcome: 'done' }]),
      ledger.claim([ada, bob], { run }),
    ]);
    expect(results).toMatchObject([
      [{ verdict: 'yours' }],
      [{ verdict: 'taken' }, { verdict: 'yours' }],
      undefined,
      [{ verdict: 'done' }, { verdict: 'taken' }],
    ]);
    expect(await ledger.runs()).toMatchObject([{ counts: { done: 1, leaving: 1 } }]);
    await ledger.close();
    const second = await openByDigest(folder);
    expect(await second.runs()).toMatchObject([{ counts: { done: 1, unsure: 1 } }]);
    await second.close();
  });

  it('fail separately if only one of them is invalid', async () => {
    const ledger = await openByDigest(temporaryFolder());
    const { run } = accepted(await ledger.register(planOf('ada:1 bob:1')));
    const results = await Promise.allSettled([
      ledger.claim(messages('ada:1'), { run }),
      ledger.claim(messages('ada:1'), { run: 'unknown' }),
      ledger.claim(messages('bob:1'), { run }),
    ]);
    expect(results).toMatchObject([
      { value: [{ verdict: 'yours' }] },
      { reason: { message: 'run unknown is not in the ledger any more' } },
      { value: [{ verdict: 'yours' }] },
    ]);
    await ledger.close();
  });
});

/** SQLite that reports each commit of a transaction. */
function counting(committed: () => void): Sqlite | undefined {
  const sqlite: Sqlite | undefined = loadSqlite();
  if (!sqlite) return undefined;
  class Counting extends sqlite.DatabaseSync {
    override prepare(sql: string): SqliteStatement {
      const statement: SqliteStatement = super.prepare(sql);
      if (sql !== 'COMMIT') return statement;
      return { all: () => (committed(), statement.all()) };
    }
  }
  return { DatabaseSync: Counting };
}
