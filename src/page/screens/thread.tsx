import { computed, signal, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { EventName } from '../../contract/events.ts';
import { textParts } from '../../contract/template-text.ts';
import type { OutputOf } from '../../sandbox/control/operations.ts';
import { ask, useAsked } from '../ask.ts';
import { state } from '../connection.ts';
import { copies } from '../copies.ts';
import { Dialog } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { act, Copy } from '../notice.tsx';
import { idOf, type Item, type Phone, textOf } from '../phones.ts';
import { linkTo, route } from '../route.ts';
import { useKeys } from '../shortcuts.tsx';
import type { Message, Reply, SandboxEvent } from '../state.ts';
import { Text } from '../text.tsx';
import { Windowed } from '../windowed.tsx';
import { dayText, timeText } from '../words.ts';

type Templates = OutputOf<'templates'>;
type Deliveries = OutputOf<'deliveries'>;

interface ThreadProps {
  readonly phone: Phone;
  readonly label: string;
  readonly templates: Templates;
  readonly onCompose: () => void;
}

/** The number whose field takes the focus as soon as it is shown. */
const replyTo = signal('');

const replyEvents = computed(
  () =>
    new Map(
      state.value.events.flatMap((event) =>
        event.type === 'message.received' ? [[event.message ?? '', event] as const] : [],
      ),
    ),
);

/** The messages as the customer sees them, with their receipts. */
export function Thread({ phone: { phone, items }, label, templates, onCompose }: ThreadProps) {
  const deliveries = useAsked('deliveries', 'deliveries', { limit: 1_000 }) ?? [];
  // The route is ahead of this thread if the number was just changed.
  const reply = () => (replyTo.value = route.value.item);
  useKeys({ r: reply, Enter: reply });
  const last = items.at(-1);
  return (
    <section class="thread" aria-label={`Messages of ${phone}`}>
      <header>
        <a class="back" href={linkTo('phones')}>
          Back
        </a>
        <h2>{phone}</h2>
        <span class="preview">{label}</span>
        <span class="wide">
          <Copy label="Copy number" text={phone} />
        </span>
        <button type="button" class="main narrow" onClick={onCompose}>
          New message
        </button>
      </header>
      {items.length === 0 ? (
        <p class="empty">
          No messages yet. Send one with “New message”, or with{' '}
          <code>bizmsg send-template {phone} welcome --profile local</code>
        </p>
      ) : (
        <Windowed items={items} keyOf={idOf} estimate={96} class="items" label="List of messages" isFromEnd>
          {(item, at) => (
            <>
              {isNewDay(items, at) && <p class="day">{dayText(item.at)}</p>}
              {item.kind === 'message' ? (
                <Bubble item={item} templates={templates} />
              ) : (
                <ReplyBubble reply={item.reply} event={replyEvents.value.get(item.reply.id)} deliveries={deliveries} />
              )}
            </>
          )}
        </Windowed>
      )}
      <div class="unseen" aria-live="polite">
        {last && `${last.kind === 'reply' ? 'Reply' : last.message.status}: ${textOf(last).slice(0, 200)}`}
      </div>
      <ReplyForm from={phone} />
    </section>
  );
}

function isNewDay(items: readonly Item[], at: number): boolean {
  const [before, item] = [items[at - 1], items[at]];
  return item !== undefined && (before === undefined || dayText(before.at) !== dayText(item.at));
}

interface ReplyBubbleProps {
  readonly reply: Reply;
  readonly event: SandboxEvent | undefined;
  readonly deliveries: Deliveries;
}

/** A reply of the customer, and how the webhooks took it. */
function ReplyBubble({ reply, event, deliveries }: ReplyBubbleProps) {
  const sent = deliveries.filter((delivery) => delivery.event === event?.id);
  return (
    <article class="bubble reply" aria-label="Reply">
      <Text parts={[{ text: reply.text }]} />
      <p class="about">
        <time>{timeText(reply.at)}</time>
        {sent.map(({ id, state, url, last }) => (
          <span key={id} class={`state ${state}`}>
            {state === 'queued'
              ? 'not delivered: no webhook receives it'
              : `${state}${last === null ? '' : ` (${last})`}`}
            {url !== null && ` · ${url}`}
          </span>
        ))}
      </p>
    </article>
  );
}

interface BubbleProps {
  readonly item: Extract<Item, { readonly kind: 'message' }>;
  readonly templates: OutputOf<'templates'>;
}

/** A message as the customer reads it. */
function Bubble({ item: { message, at, isRepeat }, templates }: BubbleProps) {
  const template = templates.find(({ name }) => name === message.template);
  const parts = template
    ? textParts(template.body, template.variables, message.params)
    : [{ text: message.text ?? 'Its template was deleted, so the text is unknown.' }];
  return (
    <article class={`bubble ${message.status}`} aria-label={`${message.template}, ${statusWord[message.status]}`}>
      <p class="about">
        <span>{message.template}</span>
        {message.mode === 'live' && <span class="badge">live, simulated</span>}
        {isRepeat && <span class="badge twice">sent twice</span>}
      </p>
      <Text parts={parts} />
      <div class="about">
        <time>{timeText(at)}</time>
        <Ticks message={message} />
        <Actions message={message} />
      </div>
    </article>
  );
}

const statusWord = { accepted: 'sent', delivered: 'delivered', read: 'read', failed: 'failed' } as const;
const tick = { accepted: '✓', delivered: '✓✓', read: '✓✓', failed: '✕' } as const;

function Ticks({ message: { status, changedAt, reason } }: { readonly message: Message }) {
  return (
    <span class={`ticks ${status}`}>
      <span aria-hidden="true">{tick[status]}</span> {statusWord[status]}
      {changedAt !== undefined && ` ${timeText(changedAt)}`}
      {reason !== undefined && ` · ${reason}`}
    </span>
  );
}

/** Buttons for the next receipt, and for sending it again. */
function Actions({ message }: { readonly message: Message }) {
  const isFailing = useSignal(false);
  const { id, status } = message;
  const set = (event: EventName, fields: object = {}) =>
    void act(() => ask('trigger', { event, fields: { message: id, ...fields } }));
  return (
    <div class="actions">
      {status === 'accepted' && (
        <button type="button" onClick={() => set('message.delivered')}>
          Deliver now
        </button>
      )}
      {(status === 'accepted' || status === 'delivered') && (
        <button type="button" onClick={() => set('message.read')}>
          Mark read
        </button>
      )}
      {status === 'accepted' && (
        <button type="button" onClick={() => (isFailing.value = true)}>
          Fail…
        </button>
      )}
      <details>
        <summary>Copy as</summary>
        {copies.map(({ name, text }) => (
          <Copy key={name} label={name} text={() => text(message)} />
        ))}
      </details>
      <Dialog title="Fail this message" isOpen={isFailing}>
        <Form
          onGiven={(given) => {
            set('message.failed', { reason: { code: given.get('code'), message: given.get('message') } });
            isFailing.value = false;
          }}
        >
          <label>
            Code
            <input name="code" list="reasons" required defaultValue="undeliverable" />
          </label>
          <datalist id="reasons">
            {['undeliverable', 'blocked', 'expired', 'invalid_number', 'opted_out'].map((code) => (
              <option key={code} value={code} />
            ))}
          </datalist>
          <label>
            Text
            <input name="message" required defaultValue="the number cannot be reached" />
          </label>
          <button type="submit" class="main">
            Fail
          </button>
        </Form>
      </Dialog>
    </div>
  );
}

const canned = [
  { name: 'STOP', text: 'STOP' },
  { name: '1,000 characters', text: 'A long reply. '.repeat(72).slice(0, 1_000) },
  { name: 'Right-to-left', text: 'شكرا جزيلا، متى يصل طلبي؟' },
  { name: 'Emoji', text: '👍🏽 👩‍👩‍👧 🇺🇳' },
];

const storage = 'bizmsg-drafts';
/** The unsent replies, by number. A reload keeps them. */
const drafts = signal<ReadonlyMap<string, string>>(new Map(JSON.parse(sessionStorage.getItem(storage) ?? '[]')));

function keep(from: string, text: string): void {
  drafts.value = new Map([...drafts.value, [from, text]]);
  sessionStorage.setItem(storage, JSON.stringify([...drafts.value]));
}

/** Replies as the customer. */
function ReplyForm({ from }: { readonly from: string }) {
  const text = drafts.value.get(from) ?? '';
  const webhooks = useAsked('webhooks', 'webhooks');
  const isSending = useSignal(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useSignalEffect(() => {
    if (replyTo.value !== from) return;
    field.current?.focus();
    replyTo.value = '';
  });
  const send = async () => {
    const given = drafts.value.get(from) ?? '';
    if (given.trim() === '' || isSending.value) return;
    isSending.value = true;
    if (await act(() => ask('trigger', { event: 'message.received', fields: { from, text: given } }))) keep(from, '');
    isSending.value = false;
  };
  const insert = (text: string) => {
    const { current } = field;
    if (!current) return;
    current.setRangeText(text, current.selectionStart, current.selectionEnd, 'end');
    keep(from, current.value);
    current.focus();
  };
  return (
    <Form class="reply-form" onGiven={() => void send()}>
      <p class="canned">
        {canned.map((one) => (
          <button key={one.name} type="button" class="quiet" onClick={() => insert(one.text)}>
            {one.name}
          </button>
        ))}
        {webhooks && !webhooks.some(isListening) && (
          <>
            {' '}
            No webhook receives replies: <a href={linkTo('deliveries')}>add one</a>.
          </>
        )}
      </p>
      <textarea
        ref={field}
        rows={2}
        dir="auto"
        aria-label={`Reply as ${from}`}
        placeholder={`Reply as ${from}`}
        value={text}
        onInput={({ currentTarget }) => keep(from, currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void send();
        }}
      />
      <button type="submit" class="main">
        Reply
      </button>
    </Form>
  );
}

function isListening({ state, events }: OutputOf<'webhooks'>[number]): boolean {
  return state === 'active' && (events === 'all' || events.includes('message.received'));
}
