import type { Host } from '../../base/host.ts';
import { countsIn, stateOf } from '../../batches/outcomes.ts';
import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { totalsOfAll, type Totals } from '../../store/tally.ts';
import { openBatches, type StoredBatch } from './stored.ts';

export const listBatches = command({
  name: 'list',
  summary: 'List the batches and imports of all profiles, the latest last',
  params: {},
  examples: ['batches list', 'batches list -o json'],
  sample:
    'name\ttemplate\tprofile\tlast\tsent\twaiting\tfailed\tunsure\tnot_sent\trows\tstate\tid\tmode\taccount\tkind\t…\nautumn\twelcome\tacme\t2026-…\t2\t0\t0\t0\t0\t2\tdone\t3fa9c17be204\tsandbox\t…',
  accepts: ['profile', ...printOptions],
  piped: 'rows',
  first: ['name', 'template', 'profile', 'last', 'sent', 'waiting', 'failed', 'unsure'],
  run: async (context) => {
    const { batches, records, close } = await openBatches(context);
    try {
      const totals = new Map<string, Totals>();
      for (const { database } of records)
        for (const [id, counts] of await totalsOfAll(database)) totals.set(id, counts);
      const isWanted = ({ isCurrent }: StoredBatch) => context.given.profile === undefined || isCurrent;
      return batches.filter(isWanted).map((stored) => rowOf(stored, totals.get(stored.batch.id), context.host));
    } finally {
      await close();
    }
  },
  view: () => 'No batches yet: bizmsg send-batch and contacts import make one',
});

function rowOf({ batch, profile }: StoredBatch, totals: Totals | undefined, host: Pick<Host, 'now' | 'kill'>) {
  const { account, mode, kind, template } = batch.scope;
  const { sent, waiting, failed, unsure, not_sent, rows } = countsIn(totals);
  return {
    name: batch.name,
    template: kind === 'import' ? null : template,
    profile: profile ?? null,
    last: new Date(batch.lastAt).toISOString(),
    sent,
    waiting,
    failed,
    unsure,
    not_sent,
    rows,
    state: stateOf(batch, waiting, host),
    id: batch.id,
    mode,
    account,
    kind,
    file: batch.file === '' ? null : batch.file,
    created: new Date(batch.madeAt).toISOString(),
  };
}
