import { signal } from '@preact/signals';
import { endPauses } from './ask.ts';
import { Icon, type IconName } from './icons.tsx';

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
  readonly label: string;
  readonly title?: string;
  /** Shown instead of the label. */
  readonly icon?: IconName;
}

/** A button that copies a text. */
export function Copy({ text, label, title, icon }: CopyProps) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
      show('Copied');
    } catch (error) {
      show(`cannot copy: ${error instanceof Error ? error.message : ''}`, 'problem');
    }
  };
  return (
    <button
      type="button"
      class={icon ? 'icon-button' : 'quiet'}
      title={title ?? (icon && label)}
      aria-label={icon && label}
      onClick={() => void copy()}
    >
      {icon ? <Icon name={icon} /> : label}
    </button>
  );
}
