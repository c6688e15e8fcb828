import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { OutputOf } from '../../sandbox/control/operations.ts';
import { ask, useAsked } from '../ask.ts';
import { state } from '../connection.ts';
import { confirm } from '../dialog.tsx';
import { Empty } from '../empty.tsx';
import { Form } from '../form.tsx';
import { act, Copy } from '../notice.tsx';
import { goTo, route } from '../route.ts';
import type { SandboxEvent } from '../state.ts';
import { Detail, Split, Table } from '../table.tsx';
import { phoneIn, resultOf, stateText } from '../timeline.ts';
import { timeText } from '../words.ts';
import { OfEvent } from './story.tsx';

type Delivery = OutputOf<'deliveries'>[number];

/** Older ones are listed by the command only. */
const most = 5_000;

/** Webhooks, and every event with its deliveries. */
export function Deliveries() {
  const rows = [...(useAsked('deliveries', 'deliveries', { limit: most }) ?? [])].reverse();
  const known = state.value.events;
  const events = useMemo(() => new Map(known.map((event) => [event.id, event])), [known]);
  const chosen = route.value.item;
  const open = rows.find(({ id }) => id === chosen);
  const failed = rows.filter(({ state }) => state === 'dead').length;
  return (
    <Split
      detail={
        open && (
          <Detail title={open.type} onClose={() => goTo('deliveries')}>
            <OfEvent key={open.id} id={open.id} />
          </Detail>
        )
      }
    >
      <Webhooks rows={rows} />
      <header class="tools">
        <h2>Deliveries</h2>
        <button
          type="button"
          disabled={failed === 0}
          onClick={() => void act(() => ask('redeliver', { failed: true }), redeliveredText)}
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
          { title: 'Time', class: 'whole-word', cell: ({ event }) => <Moment event={events.get(event)} /> },
          { title: 'Event', class: 'whole-word', cell: ({ type }) => type },
          { title: 'Phone', class: 'whole-word wide', cell: ({ event }) => phoneIn(events.get(event)) },
          { title: 'State', class: 'whole-word', cell: State },
          { title: 'Response', cell: Response },
          { title: 'Attempts', class: 'wide extra number', cell: ({ attempts }) => attempts },
          {
            title: 'Next attempt',
            class: 'whole-word extra',
            cell: ({ next_at: next }) => next && timeText(Date.parse(next)),
          },
          { title: 'URL', class: 'wide extra', cell: ({ url }) => url },
        ]}
      />
      {rows.length === most && (
        <p class="older">
          Older deliveries: <code>bizmsg sandbox log --type deliveries</code>
        </p>
      )}
    </Split>
  );
}

function redeliveredText({ redelivered }: OutputOf<'redeliver'>): string {
  return `Redelivered: ${redelivered}`;
}

function State(delivery: Delivery) {
  const { state, next_at: next } = delivery;
  return (
    <>
      <span class={`state ${state}`}>{stateText(delivery)}</span>
      {next && <span class="narrow note"> due {timeText(Date.parse(next))}</span>}
    </>
  );
}

function Response({ last, forwarded }: Delivery) {
  if (forwarded === null) return last;
  return (
    <>
      {last} <span class={`state ${resultOf({ state: 'delivered', last, forwarded }).state}`}>handler {forwarded}</span>
    </>
  );
}

/** Unknown if the event is older than what the page keeps. */
function Moment({ event }: { readonly event: SandboxEvent | undefined }) {
  return event ? <time>{timeText(event.at)}</time> : 'earlier';
}

/** The URLs that receive the events. */
function Webhooks({ rows }: { readonly rows: readonly Delivery[] }) {
  const webhooks = useAsked('webhooks', 'webhooks') ?? [];
  const url = useSignal('');
  const add = async () => {
    if (await act(() => ask('addWebhook', { url: url.value }), 'Added')) url.value = '';
  };
  return (
    <>
      <header class="tools">
        <h2>Webhooks</h2>
        <Copy label="Copy secret" text={async () => (await ask('env')).secret} />
        <Form onGiven={() => void add()}>
          <input
            type="url"
            required
            aria-label="URL of a new webhook"
            placeholder="http://127.0.0.1:3000/webhooks"
            value={url.value}
            onInput={({ currentTarget }) => (url.value = currentTarget.value)}
          />
          <button type="submit">Add</button>
        </Form>
      </header>
      <Table
        label="Webhooks"
        rows={webhooks}
        keyOf={({ id }) => id}
        empty={
          <Empty
            title="No webhook receives the events"
            command="bizmsg webhooks listen --profile local --forward-to 3000/hooks"
          />
        }
        columns={[
          { title: 'URL', cell: ({ url }) => url },
          { title: 'Events', class: 'wide', cell: ({ events }) => (events === 'all' ? 'all' : events.join(', ')) },
          {
            title: 'State',
            cell: ({ state, reason }) => (
              <span class={`state ${state}`}>{reason === undefined ? state : `${state}: ${reason}`}</span>
            ),
          },
          { title: 'Last deliveries', class: 'whole-word', cell: ({ url }) => <Health rows={rows} url={url} /> },
          {
            title: 'Change',
            class: 'end',
            cell: ({ id, url }) => (
              <button
                type="button"
                class="quiet"
                onClick={() =>
                  confirm({
                    title: 'Remove this webhook?',
                    text: `${url} receives no more events.`,
                    does: 'Remove',
                    action: () => ask('removeWebhook', { webhook: id }),
                    done: `Removed ${url}`,
                  })
                }
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

/** The results of the last deliveries, the newest at the end. */
function Health({ rows, url }: { readonly rows: readonly Delivery[]; readonly url: string }) {
  const states = rows
    .filter((row) => row.url === url)
    .slice(0, 20)
    .map((row) => resultOf(row).state);
  if (states.length === 0) return 'none yet';
  const text = `${states.filter((state) => state === 'delivered').length} of ${states.length}`;
  return (
    <>
      <span class="health" aria-hidden="true">
        {states.reverse().map((state, at) => (
          <i key={at} class={`state ${state}`} />
        ))}
      </span>{' '}
      <span class="note">{text} successful</span>
    </>
  );
}
