import { computed, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from './ask.ts';
import { compose } from './compose.tsx';
import { Dialog } from './dialog.tsx';
import { presets } from './faults.ts';
import { askNames, names, rows, templates } from './known.ts';
import { act } from './notice.tsx';
import { testNumbers } from './numbers.ts';
import { goTo, places } from './route.ts';
import { isFinding, isHelpOpen } from './shortcuts.tsx';
import { marked } from './text.tsx';
import { faultText } from './words.ts';

/** Something that the finder finds: a place of the page, or a command. */
interface Found {
  readonly title: string;
  readonly kind: string;
  /** Searched too, but not shown. */
  readonly words?: string;
  readonly run: () => unknown;
}

const commands: readonly Found[] = [
  ...places.map(({ name, title }): Found => ({ title, kind: 'place', run: () => goTo(name) })),
  command('Send a message', () => compose()),
  command('Freeze the clock', () => act(() => ask('freezeClock'))),
  command('Real time', () => act(() => ask('resumeClock'))),
  command('Advance the clock to what is due next', () => act(() => ask('advanceClock', { by: 'next' }))),
  command('Retry all failing deliveries', () => act(() => ask('redeliver', { failed: true }), 'Retried')),
  ...presets.map((fault) => command(faultText(fault), () => act(() => ask('addFault', fault), faultText(fault)))),
  command('Shortcuts', () => (isHelpOpen.value = true)),
];

function command(title: string, run: () => unknown): Found {
  return { title, kind: 'command', run };
}

/** Everything that can be found, besides the commands. */
const records = computed((): readonly Found[] => [
  ...testNumbers.map(({ phone }): Found => ({ title: phone, kind: 'number', run: () => goTo('activity', phone) })),
  ...Array.from(names.value, ([phone, title]): Found => {
    return { title, kind: phone, run: () => goTo('activity', phone) };
  }),
  ...(templates.value ?? []).map(({ name: title }): Found => {
    return { title, kind: 'template', run: () => goTo('data', `templates/${title}`) };
  }),
  ...rows.value.map(({ id, kind, title, text, phone }): Found => {
    return { title: title ?? text, kind: phone || kind, words: id, run: () => goTo('activity', id) };
  }),
]);

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
  useEffect(() => void askNames(), []);
  const at = useSignal(0);
  const found: Found[] = [];
  for (const one of [...commands, ...records.value]) if (found.length < most && isMatch(one)) found.push(one);
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
            <span class="one-line">
              <bdi>{marked(one.title.slice(0, 200))}</bdi>
            </span>
            <small>{one.kind}</small>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="note">Nothing contains “{wanted.value}”.</p>}
    </>
  );
}

function isMatch({ title, kind, words = '' }: Found): boolean {
  const text = `${title} ${kind} ${words}`.toLowerCase();
  return wanted.value
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
