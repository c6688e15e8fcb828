import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useAsked } from '../ask.ts';
import { state } from '../connection.ts';
import { goTo, linkTo, route } from '../route.ts';
import { Detail, Search, Split, Table } from '../table.tsx';
import { marked, StatusText } from '../text.tsx';
import { isShown, phoneOf, resultOf, type Row, type Step, timelineOf } from '../timeline.ts';
import { timeText } from '../words.ts';
import { RequestDetails } from './request.tsx';
import { OfEvent, OfMessage } from './story.tsx';

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
      {note !== '' && <span class="preview"> {marked(note)}</span>}
    </>
  );
}

/** A filled dot for each event that has happened, a hollow one if a receipt is pending. */
function Steps({ steps, isPending }: Row) {
  return (
    <span class="steps">
      {steps.map((step) => (
        <span key={step.event.id} class={`step is-${worst(step)}`}>
          {step.event.type.replace('message.', '')}
          {step.deliveries.map((delivery) => (
            <Result key={delivery.id} of={delivery} />
          ))}
        </span>
      ))}
      {isPending && <span class="step is-pending">pending</span>}
    </span>
  );
}

function Result({ of: delivery }: { readonly of: Step['deliveries'][number] }) {
  const { state, last } = resultOf(delivery);
  const isAnswer = typeof delivery.last === 'number';
  return <span class={`state ${state}`}>{isAnswer ? `${last}${state === 'waiting' ? ' · retry' : ''}` : state}</span>;
}

function worst({ event, deliveries }: Step): string {
  if (event.type === 'message.failed' || deliveries.some((one) => resultOf(one).state === 'dead')) return 'bad';
  if (deliveries.some(({ state }) => state === 'waiting')) return 'pending';
  return deliveries.some(({ state }) => state === 'delivered') ? 'good' : 'plain';
}

function Details({ row }: { readonly row: Row }) {
  const { what, at, status, message, note, steps, request } = row;
  return (
    <Detail title={what} onClose={() => goTo('timeline')}>
      <p>
        {timeText(at)}
        {status !== undefined && ` · answered ${status}`} {marked(note)}
      </p>
      {message && (
        <p>
          <a href={linkTo('phones', message.to)}>{message.to}</a> · {message.template} · {message.status} ·{' '}
          <code>{message.id}</code>
        </p>
      )}
      {message ? (
        <OfMessage key={message.id} id={message.id} />
      ) : (
        request && <RequestDetails request={request} message={message} />
      )}
      {!message && steps.map(({ event }) => <OfEvent key={event.id} id={event.id} />)}
    </Detail>
  );
}
