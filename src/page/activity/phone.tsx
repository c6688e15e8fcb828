import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { textParts } from '../../contract/template-text.ts';
import { ask, tryAsk } from '../ask.ts';
import { state } from '../connection.ts';
import { Form } from '../dialog.tsx';
import { Icon } from '../icons.tsx';
import { names, templates } from '../known.ts';
import { act, Copy } from '../notice.tsx';
import { Popover } from '../popover.tsx';
import { goTo } from '../route.ts';
import type { Message, SandboxEvent } from '../state.ts';
import { Line, marked, Text } from '../text.tsx';
import { timeText } from '../words.ts';
import { isPhone } from './shown.ts';

interface Item {
  readonly id: string;
  readonly at: number;
  readonly message?: Message;
  /** The text of a reply. */
  readonly reply?: string;
}

/** Messages that are shown at first, and asked of those that the page does not have. */
const page = 60;

/** The messages as the customer sees them; one is outlined. */
export function Phone({ phone, chosen }: { readonly phone: string; readonly chosen: string }) {
  const most = useSignal(page);
  const items = itemsOf(phone, useHistory(phone));
  const shown = items.slice(-most.value);
  const name = names.value.get(phone);
  return (
    <div class="device">
      <header>
        <h2 class="one-line">
          <Line>{name ?? phone}</Line>
          <small>{name && phone}</small>
        </h2>
        <Copy text={phone} label="Copy number" class="quiet">
          <Icon name="copy" />
        </Copy>
      </header>
      <Chat key={phone} last={items.at(-1)?.id} chosen={chosen}>
        {items.length > shown.length && (
          <button type="button" onClick={() => (most.value = Infinity)}>
            {items.length - shown.length} earlier
          </button>
        )}
        {shown.map((item, at) => (
          <Bubble key={item.id} item={item} isRepeat={isRepeat(shown, at)} isChosen={item.id === chosen} />
        ))}
      </Chat>
      <ReplyForm from={phone} name={name ?? phone} />
    </div>
  );
}

/** Messages to the number and replies from it, in order. Ids end with a serial number. */
function itemsOf(phone: string, history: readonly Message[]): readonly Item[] {
  const messages = new Map([...history, ...state.value.messages].map((message) => [message.id, message]));
  const sent = Array.from(messages.values(), (message): Item => {
    return { id: message.id, at: Date.parse(message.sent_at), message };
  });
  const replies = state.value.events.flatMap((event) => replyOf(event, phone));
  return [...sent.filter(({ message }) => message?.to === phone), ...replies].sort(
    (one, other) => one.at - other.at || (one.id.slice(-6) < other.id.slice(-6) ? -1 : 1),
  );
}

function replyOf({ type, at, message, data }: SandboxEvent, phone: string): readonly Item[] {
  if (type !== 'message.received' || data['from'] !== phone || message === undefined) return [];
  return [{ id: message, at, reply: String(data['text']) }];
}

/** The messages of a number that are older than what the page has. */
function useHistory(phone: string): readonly Message[] {
  const history = useSignal<readonly Message[]>([]);
  useEffect(() => {
    history.value = [];
    const isWhole = state.value.older.messages === 0;
    if (!isWhole) void tryAsk('messages', { to: phone, limit: page }).then((found = []) => (history.value = found));
  }, [phone]);
  return history.value;
}

/** Messages with the same content within this time count as sent twice. */
const repeatWithin = 10 * 60_000;

function isRepeat(items: readonly Item[], at: number): boolean {
  const item = items[at];
  if (!item?.message) return false;
  const content = contentOf(item.message);
  const before = items.slice(0, at).findLast(({ message }) => message && contentOf(message) === content);
  return before !== undefined && item.at - before.at <= repeatWithin;
}

function contentOf({ template, params }: Message): string {
  return [template, ...params].join('\0');
}

interface ChatProps {
  readonly last: string | undefined;
  readonly chosen: string;
  readonly children: ComponentChildren;
}

/** Scrolls to the chosen message, and to a new one when it arrives. */
function Chat({ last, chosen, children }: ChatProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.scrollTo(0, box.current.scrollHeight), [last, isPhone.value]);
  useLayoutEffect(() => {
    if (chosen !== last) box.current?.querySelector('.is-chosen')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <div ref={box} class="chat" role="region" tabIndex={0} aria-label="List of messages">
      {children}
    </div>
  );
}

const words = { accepted: '✓ sent', delivered: '✓✓ delivered', read: '✓✓ read', failed: 'failed' } as const;
const tones = { accepted: 'plain', delivered: 'plain', read: 'good', failed: 'bad' } as const;

interface BubbleProps {
  readonly item: Item;
  readonly isRepeat: boolean;
  readonly isChosen: boolean;
}

function Bubble({ item: { id, at, message, reply }, isRepeat, isChosen }: BubbleProps) {
  const open = ({ target }: Event) => {
    const isText = getSelection()?.isCollapsed === false;
    if (target instanceof Element && !target.closest('button') && !isText) goTo('activity', id);
  };
  return (
    <article
      class={`bubble ${message?.status ?? 'reply'} ${isChosen ? 'is-chosen' : ''}`}
      aria-label={message ? `${message.template}, ${message.status}` : 'Reply'}
      onClick={open}
    >
      {message ? <MessageText message={message} /> : <Text parts={[{ text: reply ?? '' }]} />}
      <small class="about">
        {isRepeat && 'sent twice · '}
        <time>{timeText(at)}</time>{' '}
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

/** With the variables marked. */
function MessageText({ message: { template: name, params, text } }: { readonly message: Message }) {
  const template = templates.value?.find((one) => one.name === name);
  if (template) return <Text parts={textParts(template.body, template.variables, params)} />;
  return <Text parts={[{ text: text ?? 'Its template was deleted, so the text is unknown.' }]} />;
}

const canned = {
  STOP: 'STOP',
  '1,000 characters': 'A long reply. '.repeat(72).slice(0, 1_000),
  'Right-to-left': 'شكرا جزيلا، متى يصل طلبي؟',
  Emoji: '👍🏽 👩‍👩‍👧 🇺🇳',
};

/** The unsent replies, by number. */
const drafts = signal<ReadonlyMap<string, string>>(new Map());

function keep(from: string, text: string): void {
  drafts.value = new Map([...drafts.value, [from, text]]);
}

/** Replies as the customer. */
function ReplyForm({ from, name }: { readonly from: string; readonly name: string }) {
  const isSending = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  const text = drafts.value.get(from) ?? '';
  const send = async () => {
    if (text.trim() === '' || isSending.value) return;
    isSending.value = true;
    if (await act(() => ask('trigger', { event: 'message.received', fields: { from, text } }))) keep(from, '');
    isSending.value = false;
  };
  const insert = (added: string) => {
    keep(from, text + added);
    field.current?.focus();
  };
  return (
    <Form class="reply-form" onGiven={() => void send()}>
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
        dir="auto"
        autocomplete="off"
        aria-label={`Reply as ${name.slice(0, 60)}`}
        placeholder={`Reply as ${name.split(' ', 1)[0]?.slice(0, 30)}`}
        value={text}
        onInput={({ currentTarget }) => keep(from, currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
      />
      <button type="submit" class="main">
        Reply
      </button>
    </Form>
  );
}
