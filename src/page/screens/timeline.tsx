import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { OutputOf } from '../../sandbox/control/operations.ts';
import { useAsked } from '../ask.ts';
import { state } from '../connection.ts';
import { DeliveryDetails } from '../delivery.tsx';
import { goTo, linkTo, route } from '../route.ts';
import type { Message, Request } from '../state.ts';
import { Detail, Search, Split, Table } from '../table.tsx';
import { StatusText } from '../text.tsx';
import { isShown, phoneOf, type Row, type Step, timelineOf } from '../timeline.ts';
import { timeText } from '../words.ts';

const filter = signal('');

/** One row for each request: its answer, the events that followed, and their deliveries. */
export function Timeline() {
  const deliveries = useAsked('deliveries', 'deliveries', { limit: 5_000 });
  const rows = useMemo(() => timelineOf(state.value, deliveries ?? []), [state.value, deliveries]);
  const shown = useMemo(() => rows.filter((row) => isShown(row, filter.value)), [rows, filter.value]);
  const chosen = route.value.item;
  const open = rows.find(({ id, line }) => id === chosen && line === undefined);
  return (
    <Split detail={open && <Details row={open} />}>
      <div class="tools">
        <Search label="Filter" placeholder="Filter, such as to:+1202 type:message.failed status:429" text={filter} />
      </div>
      <Table
        label="Timeline"
        rows={shown}
        keyOf={({ id }) => id}
        lineOf={({ line }) => line}
        chosen={chosen}
        onChoose={(id) => goTo('timeline', id)}
        empty={rows.length === 0 ? 'No requests yet. Every request to the API appears here.' : 'No row matches.'}
        columns={[
          { title: 'Time', class: 'whole-word', cell: ({ at }) => <time>{timeText(at)}</time> },
          { title: 'Request', cell: What },
          {
            title: 'To',
            class: 'whole-word wide',
            cell: (row) => <a href={linkTo('phones', phoneOf(row))}>{phoneOf(row)}</a>,
          },
          { title: 'Then', cell: Steps },
        ]}
      />
    </Split>
  );
}

function What(row: Row) {
  const { what, status, message, note } = row;
  return (
    <>
      <code class={message ? 'wide' : undefined}>{what}</code> {status !== undefined && <StatusText status={status} />}{' '}
      {message?.template}{' '}
      <a class="narrow" href={linkTo('phones', phoneOf(row))}>
        {phoneOf(row)}
      </a>
      {note !== '' && <span class="preview"> {note}</span>}
    </>
  );
}

/** A filled dot for each event that has happened, a hollow one if a receipt is pending. */
function Steps({ steps, isPending }: Row) {
  return (
    <span class="steps">
      {steps.map((step) => (
        <span key={step.event.id} class={`step ${worst(step)}`}>
          <span aria-hidden="true">●</span> {step.event.type.replace('message.', '')}
          {step.deliveries.length > 0 && <span class="preview"> {deliveriesText(step)}</span>}
        </span>
      ))}
      {isPending && (
        <span class="step pending">
          <span aria-hidden="true">○</span> pending
        </span>
      )}
    </span>
  );
}

function worst({ event, deliveries }: Step): string {
  if (event.type === 'message.failed' || deliveries.some(({ state }) => state === 'dead')) return 'bad';
  return deliveries.some(({ state }) => state === 'waiting') ? 'pending' : 'good';
}

function deliveriesText({ deliveries }: Step): string {
  return deliveries.map(({ state, last }) => (typeof last === 'number' ? `${state} (${last})` : state)).join(', ');
}

function Details({ row }: { readonly row: Row }) {
  const { what, at, status, message, note, steps, request } = row;
  return (
    <Detail title={what} onClose={() => goTo('timeline')}>
      <p>
        {timeText(at)}
        {status !== undefined && ` · answered ${status}`} {note}
      </p>
      {message && (
        <p>
          <a href={linkTo('phones', message.to)}>{message.to}</a> · {message.template} · {message.status} ·{' '}
          <code>{message.id}</code>
        </p>
      )}
      {message && <Receipts key={message.id} id={message.id} />}
      {request && <Kept request={request} message={message} />}
      {steps.map(({ event }) => (
        <DeliveryDetails key={event.id} id={event.id} title={event.type} />
      ))}
    </Detail>
  );
}

interface KeptProps {
  readonly request: Request;
  readonly message: Message | undefined;
}

/** A request and its answer, as they were sent. The sandbox keeps those of the last 100 requests. */
function Kept({ request, message }: KeptProps) {
  const { to, template, params } = message ?? {};
  const exchanges = useAsked('usage', 'exchanges') ?? [];
  const exchange = exchangeOf(request, state.value.requests, exchanges);
  if (exchange)
    return (
      <section aria-label="Request">
        <h3>Request</h3>
        <pre>{partText(`${exchange.sent.method} ${exchange.sent.path}`, exchange.sent)}</pre>
        <h3>Answer</h3>
        <pre>{partText(request.status === 0 ? 'none' : String(exchange.answered.status), exchange.answered)}</pre>
      </section>
    );
  return (
    <section aria-label="Request">
      <h3>Request</h3>
      <p class="preview">
        The log entry, as <code>bizmsg sandbox requests -o json</code> prints it. The bytes are kept for the last 100
        requests since the sandbox was started.
      </p>
      <pre>{JSON.stringify(request, null, 2)}</pre>
      {message && (
        <>
          <p class="preview">The message that it sent:</p>
          <pre>{JSON.stringify({ to, template, params }, null, 2)}</pre>
        </>
      )}
    </section>
  );
}

type Exchange = OutputOf<'exchanges'>[number];

/** The bytes of a request of the log. Equal log entries differ only by their order. */
function exchangeOf(request: Request, log: readonly Request[], exchanges: readonly Exchange[]): Exchange | undefined {
  const text = JSON.stringify(request);
  const isSame = (other: Request) => JSON.stringify(other) === text;
  const later = log.slice(log.indexOf(request) + 1).filter(isSame).length;
  return exchanges.filter((exchange) => isSame(exchange.request)).at(-1 - later);
}

/** As `bizmsg sandbox requests --bytes` prints it, without the marks. */
function partText(first: string, { headers, body, bytes }: Exchange['sent'] | Exchange['answered']): string {
  const cut = bytes === undefined ? [] : [`(the first 16 KB of ${bytes} bytes)`];
  return [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body, ...cut].join('\n');
}

/** The receipts of a message, with those that are still to come. */
function Receipts({ id }: { readonly id: string }) {
  const receipts = useAsked('deliveries', 'message', { id })?.receipts ?? [];
  return (
    <ol class="steps">
      {receipts.map(({ type, at, event }) => (
        <li key={type} class={`step ${event === null ? 'pending' : 'good'}`}>
          <span aria-hidden="true">{event === null ? '○' : '●'}</span> {type}{' '}
          <span class="preview">
            {event === null && 'due '}
            <time>{timeText(Date.parse(at))}</time>
          </span>
        </li>
      ))}
    </ol>
  );
}
