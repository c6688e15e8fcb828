import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { endPauses } from './ask.ts';
import { Icon } from './icons.tsx';

interface Shown {
  readonly text: string;
  readonly kind: 'done' | 'problem';
}

const shown = signal<Shown | undefined>(undefined);

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a short text; screen readers announce it. A problem stays until the next notice. */
function show(text: string, kind: Shown['kind'] = 'done'): void {
  clearTimeout(timer);
  shown.value = { text, kind };
  if (kind === 'done') timer = setTimeout(() => (shown.value = undefined), 4_000);
}

export function Notice() {
  const { text, kind } = shown.value ?? {};
  return (
    <div role="status" class={`notice ${kind ?? ''}`}>
      {text}
      {kind === 'problem' && (
        <button type="button" class="quiet" onClick={() => (shown.value = undefined)}>
          Dismiss
        </button>
      )}
    </div>
  );
}

/** Runs an action of the user, and shows what it did, or why it failed. */
export async function act<T>(action: () => Promise<T>, done?: string | ((result: T) => string)): Promise<boolean> {
  try {
    const result = await action();
    endPauses();
    if (done !== undefined) show(typeof done === 'string' ? done : done(result));
    return true;
  } catch (error) {
    show(error instanceof Error ? error.message : String(error), 'problem');
    return false;
  }
}

interface CopyProps {
  readonly text: string | (() => string | Promise<string>);
  readonly children: ComponentChildren;
  readonly label?: string;
  readonly class?: string;
}

/** A button that copies a text. */
export function Copy({ text, children, label, class: name }: CopyProps) {
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : await text()).catch((error: unknown) => {
      throw new Error(`cannot copy: ${error instanceof Error ? error.message : ''}`);
    });
  };
  return (
    <button type="button" class={name} aria-label={label} data-closes onClick={() => void act(copy, 'Copied')}>
      {children}
    </button>
  );
}

/** A command with a button that copies it. */
export function Command({ children }: { readonly children: string }) {
  return (
    <div class="command">
      <pre tabIndex={0}>{children}</pre>
      <Copy text={children} label="Copy command" class="quiet">
        <Icon name="copy" />
      </Copy>
    </div>
  );
}
