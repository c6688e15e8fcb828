import type { RenderableProps } from 'preact';
import type { EventName } from '../../contract/events.ts';
import { eventSteps, stepsOf } from '../../sandbox/control/story.ts';
import { ask, useAsked } from '../ask.ts';
import { compose } from '../compose.tsx';
import { Popover } from '../dialog.tsx';
import { Icon } from '../icons.tsx';
import { nameOf, names, now, release } from '../model.ts';
import { act, Copy } from '../notice.tsx';
import { type Verdict, verdictOf } from '../result.ts';
import { goTo, linkTo } from '../route.ts';
import type { Row } from '../rows.ts';
import { useKeys } from '../shortcuts.tsx';
import type { Message } from '../state.ts';
import { Json, Line, marked } from '../text.tsx';
import { capital, countText, curlOf } from '../words.ts';
import { Glyph } from './list.tsx';
import { Steps } from './steps.tsx';

/** The history of a row, with buttons for what can be done about it. */
export function Story({ row }: { readonly row: Row }) {
  if (row.id.startsWith('+')) return <NoMessage phone={row.id} />;
  if (row.kind === 'message') return <OfMessage row={row} />;
  return row.request ? <OfRequest row={row} request={row.request} /> : <OfEvent row={row} />;
}

function NoMessage({ phone }: { readonly phone: string }) {
  return (
    <div class="nothing">
      <p>No message to {marked(phone)} yet.</p>
      <button onClick={() => compose(phone)}>Send one</button>
    </div>
  );
}

function OfMessage({ row }: { readonly row: Row }) {
  const story = useAsked(['deliveries'], 'message', { id: row.id });
  const message = row.message ?? story;
  const deliveries = story?.events.flatMap((event) => event.deliveries) ?? [];
  return (
    <>
      <Head row={row} id={row.id} title={titleOf(row, message?.status ?? '')}>
        {message?.template} to <Name phone={message?.to ?? row.phone} />
        {message?.mode === 'live' && ' · live, simulated'}
      </Head>
      <Actions message={message} event={deliveries.at(-1)?.event} />
      <VerdictBox of={verdictOf(deliveries, () => now.value)} />
      {story && <Steps steps={stepsOf(story)} />}
    </>
  );
}

function titleOf({ text }: Row, status: string): string {
  const [, reason = ''] = status === 'failed' ? (/^(\w+):/.exec(text) ?? []) : [];
  return capital(status) + (reason && `: ${reason}`);
}

/** A reply, a broadcast, or another event. */
function OfEvent({ row }: { readonly row: Row }) {
  const { kind, title = 'Reply', phone, text, events, messages = [] } = row;
  const { id, data } = events[0] ?? { id: '', data: {} };
  const deliveries = useAsked(['deliveries'], 'delivery', id === '' ? null : { id }) ?? [];
  const [first] = deliveries;
  return (
    <>
      <Head row={row} id={id || row.id} title={title}>
        {kind === 'reply' ? <Name phone={phone} /> : <Line>{text}</Line>}
      </Head>
      <Actions message={undefined} event={id} />
      <VerdictBox of={verdictOf(deliveries, () => now.value)} />
      {first && <Steps steps={eventSteps({ ...first, id, data }, deliveries)} />}
      <ul class="recipients" aria-label="Messages of the broadcast">
        {messages.slice(0, 100).map(({ id, to, status }) => (
          <li key={id}>
            <a href={linkTo('activity', id)}>{nameOf(to)}</a>{' '}
            <span class={status === 'failed' ? 'is-bad' : 'note'}>{status}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function OfRequest({ row, request }: { readonly row: Row; readonly request: NonNullable<Row['request']> }) {
  const { title, text, count, isBad } = row;
  const answer = `The sandbox answered ${request.status || 'nothing'}${text && `: ${text}`}`;
  return (
    <>
      <Head row={row} id="" title={`${title} → ${request.status || 'no answer'}`}>
        {count ? `${countText(count, 'equal request')}; this is the last` : request.path}
      </Head>
      <VerdictBox of={{ tone: isBad ? 'bad' : 'good', text: answer, note: '' }} />
      <div class="steps">
        <Json value={request} />
      </div>
    </>
  );
}

type HeadProps = RenderableProps<{ readonly row: Row; readonly id: string; readonly title: string }>;

function Head({ row, id, title, children }: HeadProps) {
  return (
    <header class="head">
      <h2>
        <Glyph row={row} /> {marked(title.slice(0, 120))}
      </h2>
      <p class="note">
        {children}{' '}
        {id !== '' && (
          <code class="one-line" title={id}>
            · {id.replace(/^(\w+?_).*(.{3})$/, '$1…$2')}
          </code>
        )}
      </p>
    </header>
  );
}

function Name({ phone }: { readonly phone: string }) {
  return (
    <>
      <strong>
        <Line>{names.value.get(phone) ?? ''}</Line>
      </strong>{' '}
      {marked(phone)}
    </>
  );
}

type Sent = Pick<Message, 'id' | 'to' | 'template' | 'params' | 'status'>;

interface ActionsProps {
  readonly message: Sent | undefined;
  /** The event to redeliver. */
  readonly event: string | undefined;
}

function Actions({ message, event }: ActionsProps) {
  const again = () => message && void act(() => sendAgain(message.id));
  const redeliver = () => event && void redelivered(event);
  useKeys({ s: again, d: redeliver });
  return (
    <div class="actions line">
      {message && (
        <button class="main" onClick={again}>
          Send again
        </button>
      )}
      {event && <button onClick={redeliver}>Redeliver event</button>}
      {message && (
        <>
          <Copy text={curlOf(message)}>Copy as curl</Copy>
          <Popover title="More" label="More" class="quiet" button={<Icon name="more" />}>
            <More message={message} />
          </Popover>
        </>
      )}
    </div>
  );
}

async function sendAgain(message: string): Promise<void> {
  const { status, message_id: id } = await ask('sendAgain', { message });
  if (id === null) throw new Error(`The sandbox answered ${status}.`);
  release();
  goTo('activity', id);
}

function redelivered(id: string): Promise<boolean> {
  return act(
    () => ask('redeliver', { id }),
    () => 'Redelivered',
  );
}

const reasons = {
  undeliverable: 'the number cannot be reached',
  blocked: 'the customer has blocked the sender',
  expired: 'it was not delivered in time',
  invalid_number: 'the number does not exist',
  opted_out: 'the customer has opted out',
} as const;

/** The next receipts of a message. */
function More({ message: { id, status } }: { readonly message: Sent }) {
  const receipt = (title: string, event: EventName, fields: object = {}) => (
    <button
      key={title}
      data-closes
      onClick={() => void act(() => ask('trigger', { event, fields: { message: id, ...fields } }))}
    >
      {title}
    </button>
  );
  const isOpen = status === 'accepted';
  return (
    <div class="menu">
      {isOpen && receipt('Deliver now', 'message.delivered')}
      {(isOpen || status === 'delivered') && receipt('Mark read', 'message.read')}
      {isOpen &&
        Object.entries(reasons).map(([code, message]) =>
          receipt(`Fail: ${code}`, 'message.failed', { reason: { code, message } }),
        )}
      <Copy text={id}>Copy id</Copy>
    </div>
  );
}

function VerdictBox({ of: verdict }: { readonly of: Verdict | undefined }) {
  if (!verdict) return null;
  const { tone, text, note, does, delivery } = verdict;
  return (
    <div class={`card verdict is-${tone}`} role="group" aria-label="Verdict">
      <strong>{marked(text)}</strong>
      <p class="note">{marked(note)}</p>
      {delivery && <button onClick={() => void redelivered(delivery)}>{does}</button>}
    </div>
  );
}
