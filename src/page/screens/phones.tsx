import { computed, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { ask, useAsked } from '../ask.ts';
import { Avatar } from '../avatar.tsx';
import { useClock } from '../clock.tsx';
import { state } from '../connection.ts';
import { confirm } from '../dialog.tsx';
import { Empty, firstMessage } from '../empty.tsx';
import { Icon } from '../icons.tsx';
import { idOf, inOrder, isMatch, isTest, newestOf, type Phone, phonesIn, testNumbers, textOf } from '../phones.ts';
import { goTo, linkTo, route } from '../route.ts';
import { useKeys } from '../shortcuts.tsx';
import { Search } from '../table.tsx';
import { marked } from '../text.tsx';
import { Windowed } from '../windowed.tsx';
import { distanceText, timeText } from '../words.ts';
import { isComposing, NewMessage } from './new-message.tsx';
import { Story } from './story.tsx';
import { Actions, Thread } from './thread.tsx';

const phones = computed(() => phonesIn(state.value));
const ordered = computed(() => inOrder(phones.value.values()));
const search = signal('');
/** The last item of each number that was read in this tab. Undefined until the first ones arrive. */
const seen = signal<ReadonlyMap<string, string> | undefined>(undefined);

/** Below this width, a message's story takes the place of its conversation. */
const threeColumns = matchMedia('(min-width: 960px)');
const oneColumn = matchMedia('(max-width: 720px)');

/** The conversations, the phone of the chosen one, and what happened to its chosen message. */
export function Phones() {
  // For their names.
  const contacts = useAsked('contents', 'contacts', { limit: 5_000 }) ?? [];
  const templates = useAsked('contents', 'templates') ?? [];
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => {
    const change = () => render();
    for (const query of [threeColumns, oneColumn]) query.addEventListener('change', change);
    return () => [threeColumns, oneColumn].forEach((query) => query.removeEventListener('change', change));
  }, []);
  const names = new Map(contacts.map(({ phone, name }) => [phone, name ?? '']));
  const found = ordered.value.filter((phone) => isMatch(phone, nameOf(phone, names), search.value));
  const [chosen, wanted] = chosenIn(route.value.item);
  const phone = phones.value.get(chosen) ?? (chosen === '' ? undefined : { phone: chosen, items: [] });
  const last = phone?.items.at(-1);
  const item = phone?.items.find((one) => idOf(one) === wanted) ?? (threeColumns.matches ? last : undefined);
  useSeen(phone);
  const step = (by: number) => {
    // Keys may come faster than renderings, so this asks the route.
    const at = found.findIndex((one) => one.phone === chosenIn(route.value.item)[0]);
    const next = found[Math.min(Math.max(0, at + by), found.length - 1)];
    if (next) goTo('phones', next.phone);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    n: () => (isComposing.value = true),
    Escape: () => goTo('phones', wanted === '' ? '' : chosen),
  });
  const home = useFocusInView(route.value.item);
  // Otherwise a message to another number would take the field away in which someone types.
  const stay = ({ target }: Event) => {
    const isNumber = target instanceof Element && target.closest('.side') !== null;
    if (phone && route.value.item === '' && !isNumber) goTo('phones', chosen);
  };
  return (
    <div
      ref={home}
      class={`home ${phone && route.value.item !== '' ? 'has-detail' : ''} ${wanted === '' ? '' : 'has-story'}`}
      onFocusIn={stay}
    >
      <nav class="side" aria-label="Numbers">
        <div class="tools">
          <Search label="Search numbers, names and texts" text={search} />
          <button type="button" class="main" onClick={() => (isComposing.value = true)}>
            <Icon name="new" /> New message
          </button>
        </div>
        <Windowed
          items={found}
          keyOf={({ phone }) => phone}
          estimate={68}
          class="phones"
          label="List of numbers"
          shown={chosen}
        >
          {(one, at) => (
            <>
              {isTest(one) && !isTest(found[at - 1] ?? { phone: '' }) && <h2 class="section">Test numbers</h2>}
              <Row phone={one} name={nameOf(one, names)} isChosen={one.phone === chosen} />
            </>
          )}
        </Windowed>
        {found.length === 0 && <p class="empty">No number, name or text contains “{search.value}”.</p>}
        {state.value.messages.length >= 5_000 && (
          <p class="older">
            Older messages: <code>bizmsg sandbox log --type messages</code>
          </p>
        )}
        {hasMessages() && (
          <p class="older">
            <button type="button" class="quiet" onClick={clear}>
              Clear all messages
            </button>
          </p>
        )}
      </nav>
      {phone ? (
        <Thread key={phone.phone} phone={phone} name={nameOf(phone, names)} templates={templates} chosen={item} />
      ) : (
        !hasMessages() && (
          <Empty title="Send a first message" command={firstMessage}>
            <p>Paste this into a terminal, or use “New message”. It appears here as the customer sees it.</p>
            <p class="note">
              Nothing here reaches a real phone. The test numbers always do the same; any other number is delivered and
              read.
            </p>
          </Empty>
        )
      )}
      {phone && (
        <Story phone={chosen} item={item}>
          {!threeColumns.matches && item?.kind === 'message' && <Actions message={item.message} />}
        </Story>
      )}
      <NewMessage templates={templates} to={chosen} />
    </div>
  );
}

/** The number and the message of a route; on a wide window, the newest conversation if it names none. */
function chosenIn(item: string): readonly [phone: string, message: string] {
  const [phone = '', message = ''] = item.split('/', 2);
  if (phone !== '' || oneColumn.matches) return [phone, message];
  return [newestOf(phones.value.values())?.phone ?? '', ''];
}

function hasMessages(): boolean {
  return state.value.messages.length + state.value.replies.length > 0;
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

/** When the focused element disappears, moves the focus to the link back, or to the link that was followed. */
function useFocusInView(item: string) {
  const home = useRef<HTMLDivElement>(null);
  const before = useRef(item);
  const focused = document.activeElement;
  useLayoutEffect(() => {
    const followed = `a[href="${linkTo('phones', before.current)}"]`;
    const wanted = item.startsWith(before.current) ? '.back' : followed;
    before.current = item;
    if (focused?.checkVisibility() !== false) return;
    const links = home.current?.querySelectorAll<HTMLElement>(wanted) ?? [];
    [...links].find((link) => link.checkVisibility())?.focus();
  }, [item]);
  return home;
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

function nameOf({ phone }: Phone, names: ReadonlyMap<string, string>): string {
  return names.get(phone) ?? '';
}

interface RowProps {
  readonly phone: Phone;
  readonly name: string;
  readonly isChosen: boolean;
}

function Row({ phone: { phone, items }, name, isChosen }: RowProps) {
  const last = items.at(-1);
  const lastSeen = seen.value?.get(phone);
  const unread =
    isChosen || !seen.value ? 0 : items.length - 1 - items.findLastIndex((item) => idOf(item) === lastSeen);
  const test = testNumbers.find((one) => one.phone === phone);
  return (
    <a class="phone" href={linkTo('phones', phone)} aria-current={isChosen ? 'true' : undefined}>
      <Avatar phone={phone} name={name} />
      <span class="who">
        <strong dir="auto">{marked(name === '' ? phone : name)}</strong>
        {(name !== '' || test) && <span class="number-below">{test && name === '' ? test.does : phone}</span>}
      </span>
      {last && <Ago at={last.at} />}
      <span class="preview" dir="auto">
        {last ? marked(`${last.kind === 'reply' ? '↩ ' : ''}${textOf(last).slice(0, 200)}`) : 'No messages yet'}
      </span>
      {last?.kind === 'message' && last.message.status === 'failed' && (
        <span class="mark bad">
          <Icon name="failed" />
          <span class="unseen">failed</span>
        </span>
      )}
      {unread > 0 && (
        <span class="unread">
          {unread}
          <span class="unseen"> unread</span>
        </span>
      )}
    </a>
  );
}

/** How long ago, by the clock of the sandbox. */
function Ago({ at }: { readonly at: number }) {
  const clock = useClock();
  const ago = clock ? clock.now - at : 0;
  return <time title={timeText(at)}>{ago < 60_000 ? 'now' : distanceText(ago)}</time>;
}
