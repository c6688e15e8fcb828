import { signal } from '@preact/signals';
import { act } from './asked.ts';
import { Dialog } from './dialog.tsx';

interface Question {
  readonly title: string;
  /** What happens. */
  readonly text: string;
  /** The verb on the button. */
  readonly does: string;
  readonly action: () => Promise<unknown>;
  readonly done: string;
}

const question = signal<Question | undefined>(undefined);
const isAsking = signal(false);

/** Asks before an action that cannot be undone. */
export function confirm(asked: Question): void {
  question.value = asked;
  isAsking.value = true;
}

export function Confirm() {
  const { title = '', text, does, action, done } = question.value ?? {};
  const submit = (event: Event) => {
    event.preventDefault();
    isAsking.value = false;
    if (action) void act(action, done);
  };
  return (
    <Dialog title={title} isOpen={isAsking}>
      <form onSubmit={submit}>
        <p>{text}</p>
        <button type="submit" class="main">
          {does}
        </button>
      </form>
    </Dialog>
  );
}
