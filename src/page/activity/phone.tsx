import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { OutputOf } from '../../sandbox/control/operations.ts';
import { ask, tryAsk } from '../ask.ts';
import { Form, Popover } from '../dialog.tsx';
import { Icon } from '../icons.tsx';
import { names } from '../model.ts';
import { act } from '../notice.tsx';
import { goTo } from '../route.ts';
import type { Row } from '../rows.ts';
import { state } from '../state.ts';
import { Line, marked, Text } from '../text.tsx';
import { timeText } from '../words.ts';

type Message = OutputOf<'messages'>[number] & { readonly reason?: string | undefined };

interface Item {
  readonly id: string;
  readonly at: number;
  readonly message?: Message;
  /** The text of a reply. */
  readonly reply?: string;
}

/** Messages that are shown after the chosen one's, and asked of those that the page does not have. */
const page = 60;

/** The messages as the customer sees them; one is outlined. */
export function Phone({ row: { id, phone, messages } }: { readonly row: Row }) {
  const chat = useRef<HTMLDivElement>(null);
  const items = itemsOf(phone, useHistory(phone));
  const chosen = messages?.[0]?.id ?? id;
  const at = items.findIndex((item) => item.id === chosen);
  const shown = items.slice(at < 0 || at > items.length - page ? -page : at);
  const last = items.at(-1)?.id;
  const name = names.value.get(phone);
  useLayoutEffect(() => {
    chat.current?.scrollTo(0, chat.current.scrollHeight);
    if (chosen !== last) chat.current?.querySelector('.is-chosen')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, last]);
  return (
    <div class="device">
      <header>
        <h2 class="one-line">
          <Line>{name ?? phone}</Line>
        </h2>
        {name && <small>{phone}</small>}
      </header>
      <div ref={chat} class="chat" role="region" tabIndex={0} aria-label="List of messages">
        {shown.map((item, at) => (
          <Bubble
            key={item.id}
            item={item}
            isRepeat={isRepeat(item, shown.slice(0, at))}
            isChosen={item.id === chosen}
          />
        ))}
      </div>
      <ReplyForm from={phone} name={name ?? phone} />
    </div>
  );
}

/** Messages to the number and replies from it, in order. Ids end with a serial number. */
function itemsOf(phone: string, history: readonly Message[]): readonly Item[] {
  const messages = new Map([...history, ...state.value.messages].map((message) => [message.id, message]));
  const sent = Array.from(messages.values()).filter(({ to }) => to === phone);
  const replies = state.value.events.filter(({ type, data }) => type === 'message.received' && data['from'] === phone);
  const items = [
    ...sent.map((message): Item => ({ id: message.id, at: Date.parse(message.sent_at), message })),
    ...replies.map(({ id, at, message = id, data }): Item => ({ id: message, at, reply: String(data['text']) })),
  ];
  return items.sort((a, b) => a.at - b.at || (a.id.slice(-6) < b.id.slice(-6) ? -1 : 1));
}

/** The messages of a number that are older than what the page has. */
function useHistory(phone: string): readonly Message[] {
  const history = useSignal<readonly Message[]>([]);
  useEffect(() => {
    if (state.value.older.messages > 0)
      void tryAsk('messages', { to: phone, limit: page }).then((messages = []) => (history.value = messages));
  }, []);
  return history.value;
}

/** Messages with the same content within this time count as sent twice. */
const repeatWithin = 10 * 60_000;

function isRepeat({ at, message }: Item, before: readonly Item[]): boolean {
  // Without its template, a message has no text.
  if (typeof message?.text !== 'string') return false;
  return before.some((item) => item.message?.text === message.text && at - item.at <= repeatWithin);
}

const words = { accepted: '✓ sent', delivered: '✓✓ delivered', read: '✓✓ read', failed: 'failed' } as const;
const tones = { accepted: 'plain', delivered: 'plain', read: 'good', failed: 'bad' } as const;

interface BubbleProps {
  readonly item: Item;
  readonly isRepeat: boolean;
  readonly isChosen: boolean;
}

function Bubble({ item: { id, at, message, reply = '' }, isRepeat, isChosen }: BubbleProps) {
  // Selecting text is no click.
  const open = () => getSelection()?.isCollapsed && goTo('activity', id);
  return (
    <article
      class={`bubble ${message?.status ?? 'reply'} ${isChosen ? 'is-chosen' : ''}`}
      aria-label={message ? `${message.template}, ${message.status}` : 'Reply'}
      onClick={open}
    >
      <Text>{message ? (message.text ?? 'Its template was deleted, so the text is unknown.') : reply}</Text>
      <small>
        {isRepeat && 'sent twice · '}
        {timeText(at)}{' '}
        {message && (
          <span class={`is-${tones[message.status]}`}>
            {words[message.status]}
            {message.reason && <>: {marked(message.reason.replace(/:.*/s, ''))}</>}
          </span>
        )}
      </small>
    </article>
  );
}

const canned = {
  STOP: 'STOP',
  '1,000 characters': 'A long reply. '.repeat(72).slice(0, 1_000),
  'Right-to-left': 'شكرا جزيلا، متى يصل طلبي؟',
  Emoji: '👍🏽 👩‍👩‍👧 🇺🇳',
};

/** Replies as the customer. */
function ReplyForm({ from, name }: { readonly from: string; readonly name: string }) {
  const field = useRef<HTMLInputElement>(null);
  const send = (text: string, form: HTMLFormElement) => {
    if (text.trim() === '') return;
    form.reset();
    void act(() => ask('trigger', { event: 'message.received', fields: { from, text } }));
  };
  const insert = (text: string) => {
    if (!field.current) return;
    field.current.value += text;
    field.current.focus();
  };
  return (
    <Form class="reply-form" onFilled={send}>
      <Popover title="Replies" label="Insert a reply" class="quiet" button={<Icon name="plus" />}>
        <div class="menu">
          {Object.entries(canned).map(([name, text]) => (
            <button key={name} type="button" data-closes onClick={() => insert(text)}>
              {name}
            </button>
          ))}
        </div>
      </Popover>
      <input
        ref={field}
        id="reply"
        name="value"
        dir="auto"
        autocomplete="off"
        aria-label={`Reply as ${name.slice(0, 60)}`}
        placeholder={`Reply as ${name.split(' ', 1)[0]?.slice(0, 30)}`}
        onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
      />
      <button type="submit" class="main">
        Reply
      </button>
    </Form>
  );
}
