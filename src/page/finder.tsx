import { computed, signal, useSignal } from '@preact/signals';
import { ask, useAsked } from './ask.ts';
import { state } from './connection.ts';
import { Dialog } from './dialog.tsx';
import { act } from './notice.tsx';
import { newestOf, phonesIn, testNumbers } from './phones.ts';
import { goTo } from './route.ts';
import { addFault, presets } from './screens/faults.tsx';
import { isComposing } from './screens/new-message.tsx';
import { isFinding, isHelpOpen } from './shortcuts.tsx';
import { marked } from './text.tsx';
import { faultText, screens } from './words.ts';

/** Something that the finder finds: a place of the page, or a command. */
interface Found {
  readonly title: string;
  readonly kind: string;
  /** Searched too, but not shown. */
  readonly words?: string;
  readonly run: () => unknown;
}

const commands: readonly Found[] = [
  ...screens.map(({ name, title }): Found => ({ title, kind: 'screen', run: () => goTo(name) })),
  command('New message', () => {
    goTo('phones', newestOf(phonesIn(state.value).values())?.phone ?? testNumbers[0].phone);
    isComposing.value = true;
  }),
  command('Freeze the clock', () => act(() => ask('freezeClock'))),
  command('Real time', () => act(() => ask('resumeClock'))),
  command('Advance the clock to what is due next', () => act(() => ask('advanceClock', { by: 'next-due' }))),
  command('Redeliver all failed events', () => act(() => ask('redeliver', { failed: true }), 'Redelivered')),
  ...presets.map((fault) => command(faultText(fault), () => addFault(fault))),
  command('Shortcuts', () => (isHelpOpen.value = true)),
];

function command(title: string, run: () => unknown): Found {
  return { title, kind: 'command', run };
}

/** The numbers, messages and events of the stream, the newest first. */
const known = computed((): readonly Found[] => {
  const { messages, events } = state.value;
  const phones = [...phonesIn(state.value).keys()];
  const numbers = phones.map((phone): Found => ({ title: phone, kind: 'number', run: () => goTo('phones', phone) }));
  const sent = messages.map(({ id, to, text, template }): Found => {
    return { title: text ?? template, kind: 'message', words: `${id} ${to}`, run: () => goTo('phones', `${to}/${id}`) };
  });
  const happened = events.map(({ id, type, message }): Found => {
    return { title: type, kind: 'event', words: id, run: () => goTo('timeline', message ?? id) };
  });
  return [...numbers, ...sent.reverse(), ...happened.reverse()];
});

const most = 12;
const wanted = signal('');

/** Finds a number, a name, a text, an id, or a command of the page. */
export function Finder() {
  return (
    <Dialog title="Find anything" isOpen={isFinding}>
      <Search />
    </Dialog>
  );
}

function Search() {
  const contacts = useAsked('contents', 'contacts', { limit: 5_000 }) ?? [];
  const templates = useAsked('contents', 'templates') ?? [];
  const at = useSignal(0);
  const found: Found[] = [];
  for (const one of all()) if (found.length < most && isMatch(one)) found.push(one);
  const chosen = Math.min(at.value, found.length - 1);
  const run = (one: Found | undefined) => {
    if (!one) return;
    isFinding.value = false;
    wanted.value = '';
    one.run();
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => (at.value = Math.min(chosen + 1, found.length - 1)),
    ArrowUp: () => (at.value = Math.max(chosen - 1, 0)),
    Enter: () => run(found[chosen]),
  };
  return (
    <>
      <input
        type="search"
        autofocus
        role="combobox"
        // Preact's types require it with this role.
        list={undefined}
        aria-label="Find anything"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={found.length > 0 ? `found-${chosen}` : undefined}
        placeholder="A number, a name, a text, an id, or a command"
        value={wanted.value}
        onInput={({ currentTarget }) => {
          wanted.value = currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={(event) => {
          const key = event.isComposing ? undefined : keys[event.key];
          if (!key) return;
          event.preventDefault();
          key();
        }}
      />
      <ul id="found" class="found" role="listbox" aria-label="Found">
        {found.map((one, number) => (
          <li
            key={number}
            id={`found-${number}`}
            role="option"
            aria-selected={number === chosen}
            onClick={() => run(one)}
          >
            <span class="one-line">{marked(one.title.slice(0, 200))}</span> <span class="note">{one.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="note">Nothing contains “{wanted.value}”.</p>}
    </>
  );

  function* all(): Generator<Found> {
    yield* commands;
    for (const { phone, name } of contacts)
      if (name) yield { title: name, kind: 'contact', words: phone, run: () => goTo('phones', phone) };
    for (const { name } of templates)
      yield { title: name, kind: 'template', run: () => goTo('contents', `templates/${name}`) };
    yield* known.value;
  }
}

function isMatch({ title, kind, words = '' }: Found): boolean {
  const text = `${title} ${kind} ${words}`.toLowerCase();
  return wanted.value
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
