import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly isOpen: Signal<boolean>;
  readonly children: ComponentChildren;
}

/** A modal dialog. The browser moves the focus into it and back. */
export function Dialog({ title, isOpen, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen.value]);
  const close = () => (isOpen.value = false);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={close}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </header>
      {isOpen.value && children}
    </dialog>
  );
}
