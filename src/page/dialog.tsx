import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, RenderableProps } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

type DialogProps = RenderableProps<{ readonly title: string; readonly isOpen: Signal<boolean> }>;

/** A modal dialog. The browser moves the focus into it and back. */
export function Dialog({ title, isOpen, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen.value]);
  const close = () => (isOpen.value = false);
  return (
    // The event comes late: meanwhile the dialog may have been opened again.
    <dialog ref={dialog} aria-label={title} onClose={({ currentTarget }) => currentTarget.open || close()}>
      <header class="line">
        <h2>{title}</h2>
        <button class="quiet" onClick={close}>
          Close
        </button>
      </header>
      {isOpen.value && children}
    </dialog>
  );
}

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
      <button type="button" class={name} aria-label={label} title={label} popovertarget={id}>
        {button}
      </button>
      <div
        id={id}
        class="popover"
        popover="auto"
        role="dialog"
        aria-label={title}
        onClick={({ target, currentTarget }) => {
          // A menu closes after a choice.
          if (target instanceof Element && target.closest('[data-closes]')) currentTarget.hidePopover();
        }}
        onBeforeToggle={(event) => (isOpen.value = event.newState === 'open')}
      >
        {isOpen.value && children}
      </div>
    </>
  );
}

type FormProps = RenderableProps<{
  readonly class?: string;
  readonly onFilled: (value: string, form: HTMLFormElement) => void;
}>;

/** A form that calls a function with the value of the field with this name. */
export function Form({ class: name, onFilled, children }: FormProps) {
  return (
    <form
      class={name}
      onSubmit={(event) => {
        event.preventDefault();
        const value = new FormData(event.currentTarget).get('value');
        onFilled(typeof value === 'string' ? value : '', event.currentTarget);
      }}
    >
      {children}
    </form>
  );
}
