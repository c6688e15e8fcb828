import type { ComponentChildren } from 'preact';

interface FormProps {
  readonly class?: string;
  readonly label?: string;
  readonly onGiven: (given: FormData) => void;
  readonly children: ComponentChildren;
}

/** A form that calls a function with what was entered. */
export function Form({ class: name, label, onGiven, children }: FormProps) {
  return (
    <form
      class={name}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        onGiven(new FormData(event.currentTarget));
      }}
    >
      {children}
    </form>
  );
}

/** The number in a field; undefined if it is empty. */
export function numberIn(given: FormData, name: string): number | undefined {
  const text = given.get(name);
  return typeof text !== 'string' || text === '' ? undefined : Number(text);
}
