import { useMemo } from 'preact/hooks';
import { act, useAsked } from '../asked.ts';
import { ask, state } from '../connection.ts';
import { Detail } from '../detail.tsx';
import { DeliveryDetails } from '../delivery.tsx';
import { goTo, route } from '../route.ts';
import type { SandboxEvent } from '../state.ts';
import { Table } from '../table.tsx';
import { timeText } from '../time.ts';
import { phoneIn } from '../timeline.ts';
import { Checker, isChecking } from './deliveries/checker.tsx';
import { Webhooks } from './deliveries/webhooks.tsx';

/** Older ones are listed by the command only. */
const most = 5_000;

/** Webhooks, and every event with its deliveries. */
export function Deliveries() {
  const rows = [...(useAsked('deliveries', 'deliveries', { limit: most }).value ?? [])].reverse();
  const known = state.value.events;
  const events = useMemo(() => new Map(known.map((event) => [event.id, event])), [known]);
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
            { title: 'Time', class: 'whole-word', cell: ({ event }) => <Moment event={events.get(event)} /> },
            { title: 'Event', class: 'whole-word', cell: ({ type }) => type },
            { title: 'Phone', class: 'whole-word wide', cell: ({ event }) => phoneIn(events.get(event)) },
            { title: 'State', class: 'whole-word', cell: ({ state }) => <span class={`state ${state}`}>{state}</span> },
            { title: 'Response', cell: ({ last }) => last },
            { title: 'Attempts', class: 'wide number', cell: ({ attempts }) => attempts },
            {
              title: 'Next',
              class: 'whole-word wide',
              cell: ({ next_at: next }) => next !== null && timeText(Date.parse(next)),
            },
            { title: 'URL', class: 'wide', cell: ({ url }) => url ?? 'no webhook' },
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

/** Unknown if the event is older than what the page keeps. */
function Moment({ event }: { readonly event: SandboxEvent | undefined }) {
  return event ? <time>{timeText(event.at)}</time> : 'earlier';
}
