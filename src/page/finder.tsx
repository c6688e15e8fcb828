import { computed, useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import { Dialog, Form } from './dialog.tsx';
import { askNames, names, rows, templates } from './model.ts';
import { linkTo, type PlaceName, places } from './route.ts';
import { isFinding } from './shortcuts.tsx';
import { Line } from './text.tsx';
import { hasWords, testNumbers } from './words.ts';

/** Somewhere on the page. */
interface Target {
  readonly title: string;
  readonly kind: string;
  readonly place: PlaceName;
  readonly item: string;
}

const targets = computed((): readonly Target[] => [
  ...places.map(({ name: place, title }) => ({ title, kind: 'place', place, item: '' })),
  ...testNumbers.map(({ phone: item, does: kind }) => ({ title: item, kind, place: 'activity' as const, item })),
  ...Array.from(names.value, ([kind, title]) => ({ title, kind, place: 'activity' as const, item: kind })),
  ...(templates.value ?? []).map(({ name }) => {
    return { title: name, kind: 'template', place: 'data' as const, item: `templates/${name}` };
  }),
  ...rows.value.map(({ id: item, kind, title, text, phone }) => {
    return { title: title ?? text, kind: title ? kind : phone, place: 'activity' as const, item };
  }),
]);

/** Finds a number, a name, a text or an id. */
export function Finder() {
  return (
    <Dialog title="Find anything" isOpen={isFinding}>
      <Search />
    </Dialog>
  );
}

const most = 12;

function Search() {
  useEffect(() => void askNames(), []);
  const wanted = useSignal('');
  const isMatch = ({ title, kind, item }: Target) => hasWords(`${title} ${kind} ${item}`, wanted.value);
  const matches = targets.value.filter(isMatch).slice(0, most);
  return (
    <Form class="finder" onFilled={(_, form) => form.querySelector('a')?.click()}>
      <div onKeyDown={move}>
        <input
          type="search"
          autofocus
          aria-label="Find anything"
          placeholder="A number, a name, a text or an id"
          value={wanted.value}
          onInput={({ currentTarget }) => (wanted.value = currentTarget.value)}
        />
        <ul aria-label="Results" onClick={() => (isFinding.value = false)}>
          {matches.map(({ title, kind, place, item }) => (
            <li>
              <a class="hit line" href={linkTo(place, item)}>
                <span class="one-line">
                  <Line>{title}</Line>
                </span>
                <small>{kind}</small>
              </a>
            </li>
          ))}
        </ul>
        {matches.length === 0 && <p class="note">Nothing contains “{wanted.value}”.</p>}
      </div>
    </Form>
  );
}

/** Moves the focus by arrow keys. */
function move(event: TargetedKeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, a')];
  stops[stops.findIndex((stop) => stop === document.activeElement) + by]?.focus();
}
