import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Detail } from '../../detail.tsx';
import { goTo } from '../../route.ts';
import { Search } from '../../search.tsx';
import { type Column, Table } from '../../table.tsx';

interface ListingProps<T> {
  /** The name of the rows, such as `contacts`. */
  readonly part: string;
  /** Undefined until they have arrived. */
  readonly rows: readonly T[] | undefined;
  readonly keyOf: (row: T) => string;
  /** The key of the row whose details are shown. */
  readonly chosen: string;
  /** The text to search. */
  readonly textOf: (row: T) => string;
  readonly columns: readonly Column<T>[];
  readonly titleOf: (row: T) => string;
  readonly detail: (row: T) => ComponentChildren;
  /** A command that adds a row. */
  readonly example: string;
}

/** A table with a search, and the details of the chosen row. */
export function Listing<T>({ part, rows, keyOf, chosen, textOf, columns, titleOf, detail, example }: ListingProps<T>) {
  const search = useSignal('');
  const texts = useMemo(() => rows?.map((row) => ({ row, text: textOf(row).toLowerCase() })) ?? [], [rows]);
  const wanted = search.value.trim().toLowerCase();
  const found = useMemo(() => texts.flatMap(({ row, text }) => (text.includes(wanted) ? [row] : [])), [texts, wanted]);
  const open = rows?.find((one) => keyOf(one) === chosen);
  const choose = (key: string) => goTo('contents', key === '' ? part : `${part}/${key}`);
  if (!rows) return <p class="empty">Loading</p>;
  const count = wanted === '' ? rows.length : `${found.length.toLocaleString('en')} of ${rows.length}`;
  return (
    <div class={`split ${open ? 'has-detail' : ''}`}>
      <div class="list">
        <div class="tools">
          <Search label={`Search ${part}`} text={search} />
          <span role="status" class="preview">
            {count.toLocaleString('en')} {part}
          </span>
        </div>
        <Table
          label={part}
          rows={found}
          keyOf={keyOf}
          chosen={chosen}
          onChoose={choose}
          columns={columns}
          empty={
            rows.length > 0 ? (
              `None of the ${part} contains “${search.value}”.`
            ) : (
              <>
                No {part} yet: <code>{example}</code>
              </>
            )
          }
        />
      </div>
      {open && (
        <Detail key={chosen} title={titleOf(open).slice(0, 200)} onClose={() => choose('')}>
          {detail(open)}
        </Detail>
      )}
    </div>
  );
}
