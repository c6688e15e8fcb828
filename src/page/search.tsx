import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useKeys } from './keys.tsx';

interface SearchProps {
  readonly label: string;
  /** Default: Search. */
  readonly placeholder?: string;
  readonly text: Signal<string>;
}

/** A search field: `/` focuses it, Escape empties and leaves it. */
export function Search({ label, placeholder = 'Search', text }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.focus() });
  return (
    <input
      ref={field}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={text.value}
      onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return;
        text.value = '';
        currentTarget.blur();
      }}
    />
  );
}
