import { act, useAsked } from '../asked.ts';
import { ask } from '../connection.ts';
import { Detail } from '../detail.tsx';
import { DeliveryDetails } from '../delivery.tsx';
import { goTo, route } from '../route.ts';
import { Table } from '../table.tsx';
import { timeText } from '../time.ts';
import { Checker, isChecking } from './deliveries/checker.tsx';
import { Webhooks } from './deliveries/webhooks.tsx';

/** Older ones are listed by the command only. */
const most = 5_000;

/** Webhooks, and every event with its deliveries. */
export function Deliveries() {
  const rows = [...(useAsked('deliveries', 'deliveries', { limit: most }).value ?? [])].reverse();
  const chosen = route.value.item;
  const open = rows.find(({ id }) => id === chosen);
  const failed = rows.filter(({ state }) => state === 'dead').length;
  return (
    <div class={`split ${open ? 'has-detail' : ''}`}>
      <div class="list">
        <Webhooks />
        <header class="tools">
          <h2>Deliveries</h2>
          <button
            type="button"
            disabled={failed === 0}
            onClick={() => void act(() => ask('redeliver', { failed: true }), 'Redelivered')}
          >
            Redeliver all failed
          </button>
          <button type="button" onClick={() => (isChecking.value = true)}>
            Check a signature
          </button>
        </header>
        <Checker />
        <Table
          label="Deliveries"
          rows={rows}
          keyOf={({ id }) => id}
          chosen={chosen}
          onChoose={(id) => goTo('deliveries', id)}
          empty="No events yet. Receipts, replies and new contacts are events."
          columns={[
            { title: 'Event', cell: ({ type }) => type },
            { title: 'State', cell: ({ state }) => <span class={`state ${state}`}>{state}</span> },
            { title: 'Last response', cell: ({ last }) => last },
            { title: 'Attempts', cell: ({ attempts }) => attempts },
            { title: 'Next', cell: ({ next_at: next }) => next !== null && timeText(Date.parse(next)) },
            { title: 'URL', cell: ({ url }) => url ?? 'no webhook' },
          ]}
        />
        {rows.length === most && (
          <p class="older">
            Older deliveries: <code>bizmsg sandbox deliveries</code>
          </p>
        )}
      </div>
      {open && (
        <Detail title={open.type} onClose={() => goTo('deliveries')}>
          <DeliveryDetails key={open.id} id={open.id} title="Attempts" />
        </Detail>
      )}
    </div>
  );
}
