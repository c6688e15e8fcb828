import { signal } from '@preact/signals';
import type { RenderableProps } from 'preact';
import { Icon } from './icons.tsx';

const shown = signal({ text: '', isProblem: false });

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a short text; screen readers announce it. A problem stays until the next notice. */
function show(text: string, isProblem = false): void {
  clearTimeout(timer);
  shown.value = { text, isProblem };
  if (!isProblem) timer = setTimeout(() => show(''), 4_000);
}

export function Notice() {
  const { text, isProblem } = shown.value;
  return (
    <div role="status" class={`notice ${isProblem ? 'problem' : ''}`}>
      {text}
      {isProblem && (
        <button class="quiet" onClick={() => show('')}>
          Dismiss
        </button>
      )}
    </div>
  );
}

/** Runs an action of the user, and shows what it did, or why it failed. */
export async function act<T>(action: () => Promise<T>, done?: (result: T) => string): Promise<boolean> {
  try {
    const result = await action();
    if (done) show(done(result));
    return true;
  } catch (error) {
    show(textOf(error), true);
    return false;
  }
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type CopyProps = RenderableProps<{ readonly text: string; readonly label?: string; readonly class?: string }>;

/** A button that copies a text. */
export function Copy({ text, children, label, class: name }: CopyProps) {
  const copy = () =>
    void act(
      () => navigator.clipboard.writeText(text),
      () => 'Copied',
    );
  return (
    <button class={name} aria-label={label} data-closes onClick={copy}>
      {children}
    </button>
  );
}

/** A command, or other lines for a terminal or a file, with a button that copies them. */
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
