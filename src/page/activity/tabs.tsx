import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { askNames } from '../known.ts';
import { useKeys } from '../shortcuts.tsx';
import { counts, filter, tab, type TabName } from './shown.ts';

const titles = { all: 'All', problems: 'Problems', retrying: 'Retrying', replies: 'Replies' } as const;
const names: readonly TabName[] = ['all', 'problems', 'retrying', 'replies'];

/** Which rows are shown. */
export function Tabs() {
  return (
    <div class="tabs" role="group" aria-label="Show">
      {names.map((name) => (
        <button key={name} aria-pressed={name === tab.value} onClick={() => (tab.value = name)}>
          {titles[name]}{' '}
          <span class={name === 'problems' && counts.value.problems !== '0' ? 'count is-bad' : 'count'}>
            {counts.value[name]}
          </span>
        </button>
      ))}
      <Filter />
    </div>
  );
}

/** A button that becomes a field. Escape empties and closes it. */
function Filter() {
  const isOpen = useSignal(filter.value !== '');
  const open = () => {
    isOpen.value = true;
    void askNames();
  };
  useKeys({ '/': open });
  if (isOpen.value) return <Field onClose={() => (isOpen.value = false)} />;
  return (
    <button class="filter" aria-label="Filter" onClick={open}>
      <Icon name="search" /> <span>Filter</span> <kbd>/</kbd>
    </button>
  );
}

function Field({ onClose }: { readonly onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  // Before the next key arrives.
  useLayoutEffect(() => field.current?.focus(), []);
  const close = () => {
    filter.value = '';
    onClose();
  };
  return (
    <input
      type="search"
      class="filter"
      aria-label="Filter"
      placeholder="A number, text, event or status"
      ref={field}
      value={filter.value}
      onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
      onBlur={() => filter.value === '' && close()}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    />
  );
}
