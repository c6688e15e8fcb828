import { useSignal } from '@preact/signals';
import { act, useAsked } from '../asked.ts';
import { ask } from '../connection.ts';
import { Copy } from '../copy.tsx';
import { Detail } from '../detail.tsx';
import { DeliveryDetails } from '../delivery.tsx';
import { goTo, route } from '../route.ts';
import { Table } from '../table.tsx';
import { timeText } from '../time.ts';

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
        </header>
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

function Webhooks() {
  const webhooks = useAsked('webhooks', 'webhooks').value ?? [];
  const url = useSignal('');
  const add = async (event: Event) => {
    event.preventDefault();
    if (await act(() => ask('addWebhook', { url: url.value }), 'Added')) url.value = '';
  };
  return (
    <>
      <header class="tools">
        <h2>Webhooks</h2>
        <Copy label="Copy secret" text={async () => (await ask('env')).secret} />
        <form onSubmit={(event) => void add(event)}>
          <input
            type="url"
            required
            aria-label="URL of a new webhook"
            placeholder="http://127.0.0.1:3000/webhooks"
            value={url.value}
            onInput={({ currentTarget }) => (url.value = currentTarget.value)}
          />
          <button type="submit">Add</button>
        </form>
      </header>
      <Table
        label="Webhooks"
        rows={webhooks}
        keyOf={({ id }) => id}
        empty={
          <>
            No webhook receives the events. Add a URL, or run <code>bizmsg listen</code>.
          </>
        }
        columns={[
          { title: 'URL', cell: ({ url }) => url },
          { title: 'Events', cell: ({ events }) => (events === 'all' ? 'all' : events.join(', ')) },
          { title: 'State', cell: ({ state, reason }) => (reason === undefined ? state : `${state}: ${reason}`) },
          {
            title: 'Change',
            cell: ({ id, url }) => (
              <button
                type="button"
                onClick={() => void act(() => ask('removeWebhook', { webhook: id }), `Removed ${url}`)}
              >
                Remove
              </button>
            ),
          },
        ]}
      />
    </>
  );
}
