import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useKeys } from './keys.ts';

interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
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

/** A table of which only the first rows are rendered. */
export function Table<T>({ label, rows, columns, keyOf, empty, chosen, onChoose }: TableProps<T>) {
  const most = useSignal(page);
  const step = (by: number) => {
    const at = rows.findIndex((row) => keyOf(row) === chosen);
    const next = rows[Math.min(Math.max(0, at + by), rows.length - 1)];
    if (next) onChoose?.(keyOf(next));
  };
  useKeys(onChoose ? { j: () => step(1), k: () => step(-1), Escape: () => onChoose('') } : {});
  if (rows.length === 0) return <div class="empty">{empty}</div>;
  return (
    <>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most.value).map((row) => {
            const key = keyOf(row);
            return (
              <tr key={key} class={key === chosen ? 'chosen' : undefined}>
                {columns.map(({ title, cell, class: name }, at) => (
                  <td key={title} class={name}>
                    {at === 0 && onChoose ? (
                      <button
                        type="button"
                        class="quiet"
                        aria-expanded={key === chosen}
                        onClick={() => onChoose(key === chosen ? '' : key)}
                      >
                        {cell(row)}
                      </button>
                    ) : (
                      cell(row)
                    )}
                  </td>
                ))}
              </tr>
            );
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
