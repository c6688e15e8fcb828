import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface PopoverProps {
  /** The content of the button that opens it. */
  readonly button: ComponentChildren;
  /** The name of the button, if its content is not enough. */
  readonly label?: string;
  /** The name of the popover. */
  readonly title: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A button that opens a popover, which the browser closes with Escape or a click elsewhere. */
export function Popover({ button, label, title, class: name, children }: PopoverProps) {
  const id = useId();
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        class={name}
        aria-label={label}
        title={label}
        aria-expanded={isOpen.value}
        popovertarget={id}
      >
        {button}
      </button>
      <div
        id={id}
        class="popover"
        popover="auto"
        role="dialog"
        aria-label={title}
        // A menu closes after a choice.
        onClick={({ target }) => target instanceof Element && target.closest('[data-closes]') && closePopovers()}
        onBeforeToggle={(event) => (isOpen.value = event.newState === 'open')}
      >
        {isOpen.value && children}
      </div>
    </>
  );
}

function closePopovers(): void {
  for (const open of document.querySelectorAll<HTMLElement>(':popover-open')) open.hidePopover();
}
