import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

type Keys = Readonly<Record<string, () => void>>;

/** The keys of everything on the screen; the last one that has a key gets it. */
const active = new Set<Keys>();

/** Makes single keys work while a component is shown, from before it is painted: people may type that early. */
export function useKeys(keys: Keys): void {
  useLayoutEffect(() => {
    active.add(keys);
    return () => void active.delete(keys);
  });
}

export const isFinding = signal(false);

export function listenForKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && key === 'k') {
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) isFinding.value = true;
      return;
    }
    const isIn = (selector: string) => target instanceof HTMLElement && target.closest(selector) !== null;
    if (isCommand || event.altKey || isIn('input, select, dialog')) return;
    // The browser closes the popover, presses the button, or follows the link.
    if (key === 'Escape' && document.querySelector(':popover-open')) return;
    if (key === 'Enter' && isIn('a, button, summary')) return;
    const run = [...active].findLast((keys) => keys[key])?.[key];
    if (!run) return;
    event.preventDefault();
    run();
  });
}

const shortcuts = {
  'j k': 'Next and previous row',
  Enter: 'Open the row',
  s: 'Send the message again',
  d: 'Redeliver its event',
  r: 'Reply as the customer',
  '/': 'Filter',
  'Ctrl K': 'Find anything',
  Esc: 'Close',
};

export function Shortcuts() {
  return (
    <details>
      <summary>Shortcuts</summary>
      <dl class="pairs">
        {Object.entries(shortcuts).map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
