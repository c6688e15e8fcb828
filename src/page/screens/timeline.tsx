import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useAsked } from '../ask.ts';
import { state } from '../connection.ts';
import { Empty, firstMessage } from '../empty.tsx';
import { goTo, linkTo, route } from '../route.ts';
import { Detail, Search, Split, Table } from '../table.tsx';
import { marked, StatusText } from '../text.tsx';
import { groupBy, type Message } from '../state.ts';
import { isShown, phoneOf, resultOf, type Row, stateText, type Step, timelineOf, worstOf } from '../timeline.ts';
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
  const open = rows.find(({ id }) => id === chosen);
  const phone = open ? phoneOf(open) : '';
  if (rows.length === 0) return <Empty title="Every request and event appears here" command={firstMessage} />;
  return (
    <Split detail={open && <Details row={open} />}>
      <div class="tools">
        <Search label="Filter" placeholder="Filter, such as to:+1202 type:message.failed status:429" text={filter} />
        <Chips phone={phone} />
      </div>
      <Table
        label="Timeline"
        rows={shown}
        keyOf={({ id }) => id}
        chosen={chosen}
        onChoose={(id) => goTo('timeline', id)}
        empty="No row matches."
        columns={[
          { title: 'Time', class: 'whole-word', cell: ({ at }) => <time>{timeText(at)}</time> },
          { title: 'Request', class: 'whole-word', cell: What },
          { title: 'Phone', class: 'whole-word', cell: PhoneLink },
          { title: 'Message', class: 'one-line', cell: About },
          { title: 'Then', cell: Steps },
        ]}
      />
    </Split>
  );
}

const chips = {
  Failed: 'is:failed',
  Waiting: 'is:waiting',
  Requests: 'type:request',
  Replies: 'type:message.received',
};

/** Common filters, each a word that the search field gets. */
function Chips({ phone }: { readonly phone: string }) {
  const words = filter.value.split(/\s+/).filter((word) => word !== '');
  const all = Object.entries({ ...chips, ...(phone !== '' && { [`Only ${phone}`]: `to:${phone}` }) });
  const toggle = (word: string) => {
    const others = words.filter((one) => one !== word);
    filter.value = (others.length < words.length ? others : [...words, word]).join(' ');
  };
  return (
    <div class="actions" role="group" aria-label="Filters">
      {all.map(([title, word]) => (
        <button key={title} type="button" class="chip" aria-pressed={words.includes(word)} onClick={() => toggle(word)}>
          {title}
        </button>
      ))}
    </div>
  );
}

function What({ what, status }: Row) {
  return (
    <>
      <code>{what.replace('messages/', '')}</code> {status !== undefined && <StatusText status={status} />}
    </>
  );
}

function PhoneLink(row: Row) {
  const phone = phoneOf(row);
  return phone === '' ? null : <a href={linkTo('phones', phone)}>{phone}</a>;
}

function About({ message, note, status = 200 }: Row) {
  return (
    <>
      {message && <strong>{message.template} </strong>}
      {note !== '' && <span class={status === 200 ? 'preview' : 'preview bad'}>{marked(note.slice(0, 200))} </span>}
      <span class="preview">{marked(message?.text?.slice(0, 200) ?? '')}</span>
    </>
  );
}

/** A filled dot for each event that has happened, a hollow one if a receipt is pending. */
function Steps({ steps, isPending, broadcast }: Row) {
  return (
    <span class="steps">
      {broadcast ? (
        <Counts of={broadcast} />
      ) : (
        steps.map((step) => (
          <span key={step.event.id} class={`step is-${worstOf(step)}`}>
            {step.event.type.replace('message.', '')}
            {step.deliveries.map((delivery) => (
              <Result key={delivery.id} of={delivery} />
            ))}
          </span>
        ))
      )}
      {isPending && <span class="step is-pending">pending</span>}
    </span>
  );
}

/** How many messages of a broadcast have which status. */
function Counts({ of }: { readonly of: readonly Message[] }) {
  return [...groupBy(of, ({ status }) => status)].map(([status, { length }]) => (
    <span key={status} class={`step is-${status === 'failed' ? 'bad' : status === 'accepted' ? 'pending' : 'good'}`}>
      {length.toLocaleString('en')} {status}
    </span>
  ));
}

function Result({ of: delivery }: { readonly of: Step['deliveries'][number] }) {
  const { state, last } = resultOf(delivery);
  const isAnswer = typeof delivery.last === 'number';
  return (
    <span class={`state ${state}`}>
      {isAnswer ? `${last}${state === 'waiting' ? ' · retry' : ''}` : stateText(delivery)}
    </span>
  );
}

function Details({ row }: { readonly row: Row }) {
  const { what, at, status, message, note, steps, request, broadcast } = row;
  return (
    <Detail title={message?.template ?? what} onClose={() => goTo('timeline')}>
      {message ? (
        <p>
          <PhoneLink {...row} /> · {message.status} · <code>{message.id}</code>
        </p>
      ) : (
        <p>
          {timeText(at)}
          {status !== undefined && ` · answered ${status}`} {marked(note)}
        </p>
      )}
      {message ? (
        <OfMessage key={message.id} id={message.id} />
      ) : (
        request && <RequestDetails request={request} message={message} />
      )}
      {!message &&
        steps
          .filter(({ event }) => !broadcast || event.message === undefined)
          .map(({ event }) => <OfEvent key={event.id} id={event.id} />)}
      {broadcast && (
        <Table
          label="Messages of the broadcast"
          rows={broadcast}
          keyOf={({ id }) => id}
          empty=""
          columns={[
            { title: 'Phone', cell: ({ id, to }) => <a href={linkTo('phones', `${to}/${id}`)}>{to}</a> },
            { title: 'Status', cell: ({ status }) => <span class={`state ${status}`}>{status}</span> },
          ]}
        />
      )}
    </Detail>
  );
}
