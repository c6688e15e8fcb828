import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { linkTo, partOf } from './route.ts';
import { useKeys } from './shortcuts.tsx';
import { marked } from './text.tsx';
import type { ScreenName } from './words.ts';

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** `wide` hides the column on a phone, `extra` beside details, `number` aligns it to the end, `whole-word` keeps it on one line. */
  readonly class?: string;
}

interface TableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  /** Shown instead of an empty table. */
  readonly empty: ComponentChildren;
  readonly chosen?: string;
  /** Opens a row; with an empty key, closes the open one. */
  readonly onChoose?: (key: string) => void;
}

/** Rows that are rendered at first, and more at each request. */
const page = 100;

/** A table that renders only its first rows. */
export function Table<T>({ label, rows, columns, keyOf, empty, chosen, onChoose }: TableProps<T>) {
  const most = useSignal(page);
  const body = useRef<HTMLTableSectionElement>(null);
  // Keys may come faster than renderings.
  const current = useRef(chosen);
  current.current = chosen;
  const step = (by: number) => {
    const at = rows.findIndex((row) => keyOf(row) === current.current);
    const next = rows[Math.min(Math.max(0, at + by), rows.length - 1)];
    if (!next) return;
    most.value = Math.max(most.value, rows.indexOf(next) + 1);
    current.current = keyOf(next);
    onChoose?.(current.current);
  };
  useKeys(onChoose ? { j: () => step(1), k: () => step(-1), Escape: () => onChoose('') } : {});
  useLayoutEffect(() => body.current?.querySelector('.chosen')?.scrollIntoView({ block: 'nearest' }), [chosen]);
  if (rows.length === 0) return <div class="empty">{empty}</div>;
  return (
    <>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, class: name }) => (
              <th key={title} scope="col" class={name}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.slice(0, most.value).map((row) => {
            const id = keyOf(row);
            return <Row key={id} row={row} {...{ columns, id, chosen, onChoose }} />;
          })}
        </tbody>
      </table>
      {rows.length > most.value && (
        <p class="more">
          <button type="button" onClick={() => (most.value += page)}>
            Show {Math.min(page, rows.length - most.value)} more of {rows.length.toLocaleString('en')}
          </button>
        </p>
      )}
    </>
  );
}

interface RowProps<T> extends Pick<TableProps<T>, 'columns'> {
  readonly row: T;
  readonly id: string;
  readonly chosen: string | undefined;
  readonly onChoose: ((key: string) => void) | undefined;
}

/** The first cell is a button that opens the row; a click anywhere else does, too. */
function Row<T>({ row, id, columns, chosen, onChoose }: RowProps<T>) {
  const toggle = () => onChoose?.(id === chosen ? '' : id);
  const click = ({ target }: Event) => {
    const isText = getSelection()?.isCollapsed === false;
    if (target instanceof Element && !target.closest('a, button') && !isText) toggle();
  };
  return (
    <tr class={id === chosen ? 'chosen' : undefined} onClick={onChoose && click}>
      {columns.map(({ title, cell, class: name }, at) => (
        <td key={title} class={name}>
          {at === 0 && onChoose ? (
            <button type="button" class="quiet" aria-expanded={id === chosen} onClick={toggle}>
              {cell(row)}
            </button>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

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

interface SplitProps {
  readonly children: ComponentChildren;
  readonly detail: ComponentChildren;
}

/** A list, and the `Detail` of its chosen row. */
export function Split({ children, detail }: SplitProps) {
  return (
    <div class={`split ${detail ? 'has-detail' : ''}`}>
      <div class="list">{children}</div>
      {detail}
    </div>
  );
}

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
        <h2 dir="auto">{marked(title)}</h2>
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </header>
      {children}
    </section>
  );
}

interface PartsProps {
  readonly screen: ScreenName;
  readonly parts: Readonly<Record<string, string>>;
}

/** Links to the parts of a screen, such as its tables. */
export function Parts({ screen, parts }: PartsProps) {
  const { part } = partOf(parts);
  return (
    <nav class="parts" aria-label="Parts">
      {Object.entries(parts).map(([name, title]) => (
        <a key={name} href={linkTo(screen, name)} aria-current={name === part ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
