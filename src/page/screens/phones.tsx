import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask, useAsked } from '../ask.ts';
import { state } from '../connection.ts';
import { confirm } from '../dialog.tsx';
import { idOf, inOrder, isMatch, type Phone, phonesIn, testNumbers, textOf } from '../phones.ts';
import { goTo, linkTo, route } from '../route.ts';
import { useKeys } from '../shortcuts.tsx';
import { Search } from '../table.tsx';
import { Windowed } from '../windowed.tsx';
import { timeText } from '../words.ts';
import { isComposing, NewMessage } from './new-message.tsx';
import { Thread } from './thread.tsx';

const phones = computed(() => phonesIn(state.value));
const ordered = computed(() => inOrder(phones.value.values()));
const search = signal('');
/** The last item of each number that was read in this tab. Undefined until the first ones arrive. */
const seen = signal<ReadonlyMap<string, string> | undefined>(undefined);

/** The numbers, and what a customer sees on the phone of the chosen one. */
export function Phones() {
  // For their names.
  const contacts = useAsked('contents', 'contacts', { limit: 5_000 }) ?? [];
  const templates = useAsked('contents', 'templates') ?? [];
  const names = new Map(contacts.map(({ phone, name }) => [phone, name ?? '']));
  const found = ordered.value.filter((phone) => isMatch(phone, labelOf(phone, names), search.value));
  const chosen = route.value.item;
  const phone = phones.value.get(chosen) ?? (chosen === '' ? undefined : { phone: chosen, items: [] });
  useSeen(phone);
  const step = (by: number) => {
    // Keys may come faster than renderings, so this asks the route.
    const at = found.findIndex((one) => one.phone === route.value.item);
    const next = found[Math.min(Math.max(0, at + by), found.length - 1)];
    if (next) goTo('phones', next.phone);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    n: compose,
    Escape: () => goTo('phones'),
  });
  return (
    <div class={`split ${phone ? 'has-detail' : ''}`}>
      <nav class="side" aria-label="Numbers">
        <div class="tools">
          <Search label="Search numbers, names and texts" text={search} />
          <button type="button" class="main" onClick={compose}>
            New message
          </button>
        </div>
        <Windowed
          items={found}
          keyOf={({ phone }) => phone}
          estimate={58}
          class="phones"
          label="List of numbers"
          shown={chosen}
        >
          {(one) => <Row phone={one} label={labelOf(one, names)} isChosen={one.phone === chosen} />}
        </Windowed>
        {state.value.messages.length >= 5_000 && (
          <p class="older">
            Older messages: <code>bizmsg sandbox messages</code>
          </p>
        )}
        {state.value.messages.length + state.value.replies.length > 0 && (
          <p class="older">
            <button type="button" class="quiet" onClick={clear}>
              Clear all messages
            </button>
          </p>
        )}
        {found.length === 0 && <p class="empty">No number, name or text contains “{search.value}”.</p>}
      </nav>
      {phone ? (
        <Thread
          key={phone.phone}
          phone={phone}
          label={labelOf(phone, names)}
          templates={templates}
          onCompose={compose}
        />
      ) : (
        <Start />
      )}
      <NewMessage templates={templates} to={chosen} />
    </div>
  );
}

function compose(): void {
  isComposing.value = true;
}

function clear(): void {
  const text = 'This removes the messages and replies of all numbers. Contacts, webhooks and logs stay.';
  confirm({
    title: 'Clear all messages?',
    text,
    does: 'Clear',
    action: () => ask('reset', { what: 'messages' }),
    done: 'Cleared',
  });
}

/** Counts everything as read that was there when the page opened, and everything on the open phone. */
function useSeen(open: Phone | undefined): void {
  useEffect(() => {
    const before = seen.value ?? new Map(ordered.value.map((phone) => [phone.phone, lastOf(phone)]));
    if (!seen.value || (open && before.get(open.phone) !== lastOf(open)))
      seen.value = open ? new Map([...before, [open.phone, lastOf(open)]]) : before;
  });
}

function lastOf({ items }: Phone): string {
  const last = items.at(-1);
  return last ? idOf(last) : '';
}

function labelOf({ phone }: Phone, names: ReadonlyMap<string, string>): string {
  const name = names.get(phone) ?? '';
  return name !== '' ? name : (testNumbers.find((test) => test.phone === phone)?.does ?? '');
}

interface RowProps {
  readonly phone: Phone;
  readonly label: string;
  readonly isChosen: boolean;
}

function Row({ phone: { phone, items }, label, isChosen }: RowProps) {
  const last = items.at(-1);
  const lastSeen = seen.value?.get(phone);
  const unread =
    isChosen || !seen.value ? 0 : items.length - 1 - items.findLastIndex((item) => idOf(item) === lastSeen);
  return (
    <a class="phone" href={linkTo('phones', phone)} aria-current={isChosen ? 'true' : undefined}>
      <span class="top">
        <strong>{phone}</strong>
        {last && <time>{timeText(last.at)}</time>}
      </span>
      <span class="top">
        <span class="preview" dir="auto">
          {last ? `${last.kind === 'reply' ? '↩ ' : ''}${textOf(last).slice(0, 200)}` : label}
        </span>
        {unread > 0 && (
          <span class="unread">
            {unread}
            <span class="unseen"> unread</span>
          </span>
        )}
      </span>
      {last && label !== '' && <span class="preview">{label}</span>}
    </a>
  );
}

/** Beside the numbers while none is chosen. */
function Start() {
  return state.value.messages.length + state.value.replies.length === 0 ? <FirstMessage /> : <Choose />;
}

function Choose() {
  return (
    <section class="start" aria-label="Start">
      <p class="preview">
        Choose a number to see what is on its phone: with the mouse, or with <kbd>j</kbd> and <kbd>k</kbd>.
      </p>
    </section>
  );
}

/** The first screen of all: which numbers there are, and a command to try. */
function FirstMessage() {
  const command = 'bizmsg send-template +12025550101 order_update -p Ada -p A-1 --profile local';
  return (
    <section class="start first" aria-label="Start">
      <h2>Send a first message</h2>
      <p>Paste this into a terminal, or use “New message”. It appears here as the customer sees it.</p>
      <pre>{command}</pre>
      <h2>Test numbers</h2>
      <dl>
        {testNumbers.map(({ phone, does }) => (
          <div key={phone}>
            <dt>
              <a href={linkTo('phones', phone)}>{phone}</a>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p>Any other number is delivered and read, too.</p>
    </section>
  );
}
