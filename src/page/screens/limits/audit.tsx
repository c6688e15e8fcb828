import { maskKey } from '../../../base/redact.ts';
import type { OutputOf } from '../../../sandbox/control/operations.ts';
import { useAsked } from '../../asked.ts';
import { linkTo } from '../../route.ts';
import { Table } from '../../table.tsx';
import { requestText } from '../../request.ts';
import { StatusText } from '../../status.tsx';
import { dayText, timeText } from '../../time.ts';

/** More are shown by `sandbox audit`. */
const most = 1_000;

/** §5.8: the calls made with a key, the newest first. */
export function Audit({ of: { id, text } }: { readonly of: OutputOf<'keys'>[number] }) {
  const calls = useAsked('usage', 'audit', { key: id, limit: most }).value ?? [];
  const rows = calls.map((call, at) => ({ ...call, id: String(at) })).reverse();
  const title = `Audit log of ${maskKey(text)}`;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <Table
        label={title}
        rows={rows}
        keyOf={({ id }) => id}
        empty="No requests with this key yet."
        columns={[
          { title: 'Time', class: 'whole-word', cell: ({ at }) => <Moment at={Date.parse(at)} /> },
          { title: 'Request', cell: ({ method, path }) => <code>{requestText(method, path)}</code> },
          { title: 'Status', class: 'whole-word', cell: ({ status }) => <StatusText status={status} /> },
          {
            title: 'Message',
            class: 'wide',
            cell: ({ message_id: message }) => message !== null && <a href={linkTo('timeline', message)}>{message}</a>,
          },
          {
            title: 'Detail',
            class: 'wide',
            cell: ({ fault, detail }) => [fault, detail].filter((part) => part !== null).join(': '),
          },
        ]}
      />
      {rows.length === most && (
        <p class="more about">
          Older ones: <code>bizmsg sandbox audit --key {id}</code>
        </p>
      )}
    </section>
  );
}

function Moment({ at }: { readonly at: number }) {
  return <time title={dayText(at)}>{timeText(at)}</time>;
}
