import { useEffect } from 'preact/hooks';
import { goTo } from './route.ts';
import { screens } from './screens.ts';
import { hasKeys } from './settings.ts';

type Keys = Readonly<Record<string, () => void>>;

/** The keys of everything on the screen; the last one that has a key gets it. */
const active = new Set<Keys>();

/** Makes single keys work while a component is shown. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    active.add(keys);
    return () => void active.delete(keys);
  });
}

export function listenForKeys(): void {
  let isGo = false;
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
    if (event.key !== 'Escape' && !hasKeys.value) return;
    const screen = isGo ? screens.find(({ key }) => key === event.key) : undefined;
    isGo = !screen && event.key === 'g';
    const run = screen ? () => goTo(screen.name) : [...active].findLast((keys) => keys[event.key])?.[event.key];
    // Enter belongs to a focused button or link.
    if (!run || (event.key === 'Enter' && isControl(event.target))) return;
    event.preventDefault();
    run();
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.closest('input, textarea, select, dialog') !== null;
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('a, button, summary') !== null;
}
