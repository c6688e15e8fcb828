import { signal, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { EventName } from '../../contract/events.ts';
import { textParts } from '../../contract/template-text.ts';
import type { OutputOf } from '../../sandbox/control/operations.ts';
import { ask, useAsked } from '../ask.ts';
import { Avatar } from '../avatar.tsx';
import { copies } from '../copies.ts';
import { Dialog } from '../dialog.tsx';
import { Form } from '../form.tsx';
import { Icon } from '../icons.tsx';
import { act, Copy } from '../notice.tsx';
import { idOf, type Item, type Phone, textOf } from '../phones.ts';
import { linkTo, route } from '../route.ts';
import { useKeys } from '../shortcuts.tsx';
import type { Message, Reply } from '../state.ts';
import { marked, Text } from '../text.tsx';
import { Windowed } from '../windowed.tsx';
import { dayText, timeText } from '../words.ts';
import { isComposing } from './new-message.tsx';
import { openStory } from './story.tsx';

type Templates = OutputOf<'templates'>;

interface ThreadProps {
  readonly phone: Phone;
  readonly name: string;
  readonly templates: Templates;
  /** The message whose story is shown. */
  readonly chosen: Item | undefined;
}

/** The number whose field takes the focus as soon as it is shown. */
const replyTo = signal('');

/** The messages as the customer sees them, with their receipts. */
export function Thread({ phone: { phone, items }, name, templates, chosen }: ThreadProps) {
  const reply = () => (replyTo.value = phoneIn(route.value.item) || phone);
  useKeys({ r: reply, Enter: reply });
  const last = items.at(-1);
  const shown = chosen && idOf(chosen);
  return (
    <section class="thread" aria-label={`Messages of ${phone}`}>
      <div class="device">
        <header>
          <a class="back icon-button" href={linkTo('phones')} aria-label="Back to the numbers">
            <Icon name="back" />
          </a>
          <Avatar phone={phone} name={name} />
          <div class="who">
            <h2 dir="auto">{marked(name === '' ? phone : name)}</h2>
            {name !== '' && <span class="number-below">{phone}</span>}
          </div>
          <Copy label="Copy number" icon="copy" text={phone} />
          <button
            type="button"
            class="icon-button narrow"
            aria-label="New message"
            onClick={() => (isComposing.value = true)}
          >
            <Icon name="new" />
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
                  <Bubble item={item} templates={templates} isChosen={shown === idOf(item)} />
                ) : (
                  <ReplyBubble reply={item.reply} isChosen={shown === idOf(item)} />
                )}
              </>
            )}
          </Windowed>
        )}
        <div class="unseen" aria-live="polite">
          {last && marked(`${last.kind === 'reply' ? 'Reply' : last.message.status}: ${textOf(last).slice(0, 200)}`)}
        </div>
        <ReplyForm from={phone} />
      </div>
    </section>
  );
}

function phoneIn(item: string): string {
  return item.split('/', 1)[0] ?? '';
}

function isNewDay(items: readonly Item[], at: number): boolean {
  const [before, item] = [items[at - 1], items[at]];
  return item !== undefined && (before === undefined || dayText(before.at) !== dayText(item.at));
}

interface ReplyBubbleProps {
  readonly reply: Reply;
  readonly isChosen: boolean;
}

function ReplyBubble({ reply, isChosen }: ReplyBubbleProps) {
  return (
    <article
      class={`bubble reply ${isChosen ? 'chosen' : ''}`}
      aria-label="Reply"
      onClick={chooses(reply.from, reply.id)}
    >
      <Text parts={[{ text: reply.text }]} />
      <p class="about">
        <time>{timeText(reply.at)}</time>
        <Choose phone={reply.from} id={reply.id} isChosen={isChosen} />
      </p>
    </article>
  );
}

/** A click anywhere on a message opens its story; the link does so by keyboard, too. */
function chooses(phone: string, id: string) {
  return ({ target }: Event) => {
    const isText = getSelection()?.isCollapsed === false;
    if (target instanceof Element && !target.closest('a, button, summary, dialog') && !isText) openStory(phone, id);
  };
}

function Choose({ phone, id, isChosen }: { readonly phone: string; readonly id: string; readonly isChosen: boolean }) {
  return (
    <a
      class="choose"
      href={linkTo('phones', `${phone}/${id}`)}
      aria-current={isChosen ? 'true' : undefined}
      aria-label="What happened"
    >
      <Icon name="open" />
    </a>
  );
}

interface BubbleProps {
  readonly item: Extract<Item, { readonly kind: 'message' }>;
  readonly templates: Templates;
  readonly isChosen: boolean;
}

/** A message as the customer reads it. */
function Bubble({ item: { message, at, isRepeat }, templates, isChosen }: BubbleProps) {
  const { id, to, status, mode } = message;
  const template = templates.find(({ name }) => name === message.template);
  const parts = template
    ? textParts(template.body, template.variables, message.params)
    : [{ text: message.text ?? 'Its template was deleted, so the text is unknown.' }];
  return (
    <article
      class={`bubble ${status} ${isChosen ? 'chosen' : ''}`}
      aria-label={`${message.template}, ${statusWord[status]}`}
      onClick={chooses(to, id)}
    >
      <p class="caption">
        {message.template}
        {mode === 'live' && <span class="badge">live, simulated</span>}
        {isRepeat && <span class="badge twice">sent twice</span>}
      </p>
      <Text parts={parts} />
      {message.reason !== undefined && <p class="reason">{marked(message.reason)}</p>}
      <div class="about">
        <time>{timeText(at)}</time>
        <Ticks message={message} />
        <Choose phone={to} id={id} isChosen={isChosen} />
      </div>
      {isChosen && <Actions message={message} />}
    </article>
  );
}

const statusWord = { accepted: 'sent', delivered: 'delivered', read: 'read', failed: 'failed' } as const;

function Ticks({ message: { status, changedAt } }: { readonly message: Message }) {
  return (
    <span class={`ticks ${status}`}>
      <Icon name={statusWord[status]} />
      <span title={changedAt === undefined ? undefined : timeText(changedAt)}>{statusWord[status]}</span>
    </span>
  );
}

/** Buttons for the next receipt, and for sending it again. */
export function Actions({ message }: { readonly message: Message }) {
  const isFailing = useSignal(false);
  const { id, to, status } = message;
  // Another message that arrives would be chosen instead, and the dialog would close.
  const fail = () => {
    openStory(to, id);
    isFailing.value = true;
  };
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
        <button type="button" onClick={fail}>
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
          <button key={one.name} type="button" class="chip" onClick={() => insert(one.text)}>
            {one.name}
          </button>
        ))}
      </p>
      {webhooks && !webhooks.some(isListening) && (
        <p class="canned note">
          No webhook receives replies: <a href={linkTo('deliveries')}>add one</a>
        </p>
      )}
      <textarea
        ref={field}
        rows={1}
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
      <button type="submit" class="main round" aria-label="Reply" title="Reply">
        <Icon name="send" />
      </button>
    </Form>
  );
}

function isListening({ state, events }: OutputOf<'webhooks'>[number]): boolean {
  return state === 'active' && (events === 'all' || events.includes('message.received'));
}
