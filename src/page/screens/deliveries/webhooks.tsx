import { useSignal } from '@preact/signals';
import { act, useAsked } from '../../asked.ts';
import { ask } from '../../connection.ts';
import { Copy } from '../../copy.tsx';
import { confirm } from '../../confirm.tsx';
import { Table } from '../../table.tsx';

/** The URLs that receive the events. */
export function Webhooks() {
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
            No webhook receives the events. Add a URL, or run <code>bizmsg webhooks listen</code>.
          </>
        }
        columns={[
          { title: 'URL', cell: ({ url }) => url },
          { title: 'Events', class: 'wide', cell: ({ events }) => (events === 'all' ? 'all' : events.join(', ')) },
          { title: 'State', cell: ({ state, reason }) => (reason === undefined ? state : `${state}: ${reason}`) },
          {
            title: 'Change',
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
