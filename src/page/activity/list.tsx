import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { chosen, deliveriesOf, inView, isHeld, loadOlder, nameOf, now, release, shown, waiting } from '../model.ts';
import { resultOf } from '../result.ts';
import { goTo, isTight } from '../route.ts';
import type { Row } from '../rows.ts';
import { useKeys } from '../shortcuts.tsx';
import { Line, marked } from '../text.tsx';
import { timeText } from '../words.ts';

/** Rows above and below the visible part that are rendered too. */
const margin = 8;

/** Rows that arrived while the page was open, and still have to show it. */
const fresh = new Set<string>();
let newest: string | undefined;

/** The rows; only those in view are rendered. They move by a transform, so that nothing has to be laid out. */
export function List() {
  const box = useRef<HTMLDivElement>(null);
  const range = useSignal({ first: 0, last: 40 });
  const height = isTight.value ? 56 : 36;
  const rows = shown.value;
  const part = rows.slice(range.value.first, range.value.last);
  const before = rows.findIndex(({ id }) => id === newest);
  for (const { id } of rows.slice(0, Math.max(0, before))) fresh.add(id);
  newest = rows[0]?.id;
  const measure = () => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    const first = Math.max(0, Math.floor(scrollTop / height) - margin);
    const last = Math.ceil((scrollTop + clientHeight) / height) + margin;
    if (first !== range.value.first || last !== range.value.last) range.value = { first, last };
    isHeld.value = scrollTop > 0 || box.current?.parentElement?.matches(':hover') === true;
    if (scrollTop > 0 || last > shown.value.length) void loadOlder(shown.value[last]);
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, [height]);
  useLayoutEffect(measure, [rows.length]);
  useLayoutEffect(() => void (inView.value = part), [rows, range.value]);
  /** Chooses the next or previous row, and keeps it in view. */
  const step = (by: number) => {
    const at = shown.value.findIndex(({ id }) => id === chosen.value?.id);
    const next = Math.min(Math.max(0, at + by), shown.value.length - 1);
    const { id } = shown.value[next] ?? {};
    if (id === undefined || !box.current) return;
    goTo('activity', id);
    const { scrollTop, clientHeight } = box.current;
    box.current.scrollTop = Math.min(next * height, Math.max(scrollTop, (next + 1) * height - clientHeight));
  };
  useKeys({ j: () => step(1), k: () => step(-1) });
  const id = chosen.value?.id;
  return (
    <div class="scroller" onMouseEnter={measure} onMouseLeave={measure}>
      <Pill onShow={() => box.current?.scrollTo({ top: 0 })} />
      <div
        ref={box}
        class="rows"
        role="listbox"
        tabIndex={0}
        aria-label="Activity"
        aria-activedescendant={part.some((row) => row.id === id) ? `row-${id}` : undefined}
        onScroll={measure}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          step(by);
        }}
      >
        <div class="whole" role="presentation" style={{ height: `${rows.length * height}px` }}>
          {part.map((row, at) => (
            <RowView key={row.id} row={row} place={range.value.first + at} height={height} isChosen={row.id === id} />
          ))}
        </div>
      </div>
    </div>
  );
}

interface RowViewProps {
  readonly row: Row;
  readonly place: number;
  readonly height: number;
  readonly isChosen: boolean;
}

function RowView({ row, place, height, isChosen }: RowViewProps) {
  const { id, at, kind, title, text, isBad, phone, count } = row;
  const result = resultOf(row, deliveriesOf(row), () => now.value);
  return (
    <div
      id={`row-${id}`}
      class={fresh.has(id) ? 'row is-fresh' : 'row'}
      role="option"
      aria-selected={isChosen}
      aria-setsize={shown.value.length}
      aria-posinset={place + 1}
      style={{ transform: `translateY(${place * height}px)` }}
      onClick={() => goTo('activity', id)}
      onAnimationEnd={() => fresh.delete(id)}
    >
      <Glyph row={row} />
      <span class="who" dir="auto">
        {marked((title ?? nameOf(phone)).slice(0, 80) || kind)}
        {count && <span class="note"> × {count}</span>}
      </span>
      <span class={isBad ? 'what is-bad' : 'what note'}>
        <Line>{text}</Line>
      </span>
      <span class={`result mono is-${result.tone}`}>{result.text}</span>
      <time>{timeText(at)}</time>
    </div>
  );
}

const tones = { accepted: 'wait', delivered: 'plain', read: 'good', failed: 'bad' } as const;

/** The state of a row. */
export function Glyph({ row: { kind, message, isBad } }: { readonly row: Row }) {
  const status = message?.status;
  const name = isBad ? 'failed' : kind === 'message' ? (status ?? 'delivered') : kind;
  const tone = isBad ? 'bad' : status ? tones[status] : 'plain';
  return <Icon name={name} class={`is-${tone}`} label={name} />;
}

/** Milliseconds between two announcements. */
const announceEvery = 5_000;

/** How many rows wait while someone reads; a click shows them. */
function Pill({ onShow }: { readonly onShow: () => void }) {
  const announced = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => (announced.value = waiting.peek()), announceEvery);
    return () => clearInterval(timer);
  }, []);
  const show = () => {
    release();
    onShow();
  };
  return (
    <div class="pill">
      {waiting.value > 0 && <button onClick={show}>{waiting} new ↑</button>}
      <span class="unseen" role="status">
        {announced.value > 0 && `${announced.value} new`}
      </span>
    </div>
  );
}
