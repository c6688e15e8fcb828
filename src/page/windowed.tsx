import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';

interface WindowedProps<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly children: (item: T, index: number) => ComponentChildren;
  /** The height of an item that was not shown yet, in pixels. */
  readonly estimate: number;
  readonly class: string;
  readonly label: string;
  /** Keeps the end in view while items are added. */
  readonly isFromEnd?: boolean;
  /** An item to bring into view when it changes. */
  readonly shown?: string | undefined;
}

/** Pixels above and below the visible part that are rendered too. */
const margin = 400;

/** A scrolling list that renders only what is in view. */
export function Windowed<T>({ items, keyOf, children, estimate, isFromEnd, shown, ...rest }: WindowedProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const heights = useRef(new Map<string, number>());
  const isAtEnd = useRef(isFromEnd === true);
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  const heightOf = (item: T) => heights.current.get(keyOf(item)) ?? estimate;
  const { first, last, before, total } = rangeOf(items.map(heightOf), box.current, isAtEnd.current);

  // Measures what was rendered, and renders again if that changes what is in view.
  useLayoutEffect(() => {
    let isChanged = false;
    for (const [at, row] of [...(list.current?.children ?? [])].entries()) {
      const item = items[first + at];
      const height = row.getBoundingClientRect().height;
      if (item === undefined || heights.current.get(keyOf(item)) === height) continue;
      heights.current.set(keyOf(item), height);
      isChanged = true;
    }
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
    if (isChanged) render();
  });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => render());
    for (const { current } of [box, list]) if (current) observer.observe(current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const at = items.findIndex((item) => keyOf(item) === shown);
    if (at < 0 || !box.current) return;
    const top = items.slice(0, at).reduce((sum, item) => sum + heightOf(item), 0);
    const { scrollTop, clientHeight } = box.current;
    const bottom = top + estimate;
    if (top < scrollTop) box.current.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) box.current.scrollTop = bottom - clientHeight;
  }, [shown]);

  const scroll = () => {
    const { current } = box;
    if (!current) return;
    isAtEnd.current = isFromEnd === true && current.scrollTop + current.clientHeight >= current.scrollHeight - 40;
    const next = rangeOf(items.map(heightOf), current, isAtEnd.current);
    if (next.first !== first || next.last !== last) render();
  };
  return (
    <div
      ref={box}
      class={`windowed ${rest.class}`}
      onScroll={scroll}
      tabIndex={0}
      role="region"
      aria-label={rest.label}
    >
      <div class="whole" style={{ height: `${total}px` }}>
        <ul ref={list} style={{ transform: `translateY(${before}px)` }}>
          {items.slice(first, last).map((item, at) => (
            <li key={keyOf(item)} aria-setsize={items.length} aria-posinset={first + at + 1}>
              {children(item, first + at)}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** Which items are in view, and the heights of those before and of all. */
function rangeOf(heights: readonly number[], box: HTMLElement | null, isAtEnd: boolean) {
  const total = heights.reduce((sum, height) => sum + height, 0);
  const height = box?.clientHeight ?? 600;
  const top = isAtEnd ? Math.max(0, total - height) : (box?.scrollTop ?? 0);
  let [first, before] = [0, 0];
  for (; first < heights.length; first++) {
    const next = before + (heights[first] ?? 0);
    if (next > top - margin) break;
    before = next;
  }
  let [last, end] = [first, before];
  for (; last < heights.length && end < top + height + margin; last++) end += heights[last] ?? 0;
  return { first, last, before, total };
}
