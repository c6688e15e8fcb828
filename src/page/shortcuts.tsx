import { signal, useSignalEffect } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { Dialog } from './dialog.tsx';

const storage = 'bizmsg-keys';
/** Whether single letters are shortcuts. */
const hasKeys = signal(localStorage.getItem(storage) !== 'off');

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

export function listenForKeys(): void {
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) isFinding.value = true;
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
    // The browser closes the popover.
    if (event.key === 'Escape' ? document.querySelector(':popover-open') : !hasKeys.value) return;
    const run = [...active].findLast((keys) => keys[event.key])?.[event.key];
    // Enter belongs to a focused button or link.
    if (!run || (event.key === 'Enter' && isControl(event.target))) return;
    event.preventDefault();
    run();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('a, button, summary') !== null;
}

export const isHelpOpen = signal(false);
export const isFinding = signal(false);

const keys = [
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['s', 'Send the message again'],
  ['d', 'Redeliver its event'],
  ['r', 'Reply as the customer'],
  ['n', 'Send a message'],
  ['/', 'Filter'],
  ['Ctrl K', 'Find anything'],
  ['Esc', 'Close'],
] as const;

export function Help() {
  useSignalEffect(() => localStorage.setItem(storage, hasKeys.value ? 'on' : 'off'));
  return (
    <Dialog title="Shortcuts" isOpen={isHelpOpen}>
      <dl class="pairs">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={hasKeys.value}
          onChange={({ currentTarget }) => (hasKeys.value = currentTarget.checked)}
        />{' '}
        Single letters are shortcuts
      </label>
    </Dialog>
  );
}
