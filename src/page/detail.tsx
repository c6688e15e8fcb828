import type { ComponentChildren } from 'preact';

interface DetailProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** The details of the chosen row, beside its table. */
export function Detail({ title, onClose, children }: DetailProps) {
  return (
    <section class="detail" aria-label="Details">
      <header>
        <h2 dir="auto">{title}</h2>
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </header>
      {children}
    </section>
  );
}
