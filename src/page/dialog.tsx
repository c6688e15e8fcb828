import { type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { act } from './notice.tsx';

interface DialogProps {
  readonly title: string;
  readonly isOpen: Signal<boolean>;
  readonly children: ComponentChildren;
}

/** A modal dialog. The browser moves the focus into it and back. */
export function Dialog({ title, isOpen, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen.value]);
  const close = () => (isOpen.value = false);
  return (
    // The event comes late: meanwhile the dialog may have been opened again.
    <dialog ref={dialog} aria-labelledby={id} onClose={({ currentTarget }) => currentTarget.open || close()}>
      <header>
        <h2 id={id}>{title}</h2>
        <button class="quiet" onClick={close}>
          Close
        </button>
      </header>
      {isOpen.value && children}
    </dialog>
  );
}

interface Question {
  readonly title: string;
  /** The consequences. */
  readonly text: string;
  /** The verb on the button. */
  readonly does: string;
  readonly action: () => Promise<unknown>;
}

const question = signal<Question | undefined>(undefined);
const isAsking = signal(false);

/** Asks before an action that cannot be undone. */
export function confirm(asked: Question): void {
  question.value = asked;
  isAsking.value = true;
}

/** The question of `confirm`. */
export function Confirm() {
  const { title = '', text, does, action } = question.value ?? {};
  const submit = () => {
    isAsking.value = false;
    if (action) void act(action, 'Done');
  };
  return (
    <Dialog title={title} isOpen={isAsking}>
      <Form onGiven={submit}>
        <p>{text}</p>
        <button type="submit" class="main">
          {does}
        </button>
      </Form>
    </Dialog>
  );
}

interface FormProps {
  readonly class?: string;
  readonly onGiven: (given: FormData) => void;
  readonly children: ComponentChildren;
}

/** A form that calls a function with what was entered. */
export function Form({ class: name, onGiven, children }: FormProps) {
  return (
    <form
      class={name}
      onSubmit={(event) => {
        event.preventDefault();
        onGiven(new FormData(event.currentTarget));
      }}
    >
      {children}
    </form>
  );
}
