import { useEffect } from 'preact/hooks';
import { Frozen } from '../clock.tsx';
import { Icon } from '../icons.tsx';
import { numbersInView, rows } from '../known.ts';
import { goBack, goTo, route } from '../route.ts';
import { useKeys } from '../shortcuts.tsx';
import { Empty } from './empty.tsx';
import { List } from './list.tsx';
import { Phone } from './phone.tsx';
import { chosen, isPhone, narrow, rowById, shown, tab } from './shown.ts';
import { Story } from './story.tsx';
import { Strip } from './strip.tsx';
import { Tabs } from './tabs.tsx';

/** The list of everything that happened, the story of the chosen row, and its phone. */
export function Activity() {
  useKeys({ Escape: goBack, Enter: () => focus('story'), r: reply });
  const row = rowById(chosen.value);
  const numbers = [row?.phone ?? '', ...(row?.messages ?? []).slice(0, 100).map(({ to }) => to)];
  useEffect(() => void (numbersInView.value = numbers), [numbers.join()]);
  if (rows.value.length === 0 && route.value.item === '') return <Empty />;
  const isOpen = route.value.item !== '';
  // Otherwise a new row would take the field away in which someone types.
  const stay = () => row && !isOpen && goTo('activity', row.id);
  return (
    <div class={`activity ${isOpen ? 'is-open' : ''}`}>
      <section class="list" aria-label="Activity">
        <Frozen />
        <Strip />
        <Tabs />
        <List key={tab.value} />
        {shown.value.length === 0 && <p class="nothing">Nothing here.</p>}
      </section>
      <div class={`side ${isPhone.value && row?.phone ? 'has-phone' : ''}`} onFocusIn={stay}>
        <Side phone={row?.phone ?? ''} />
        <section id="story" class="story" tabIndex={-1} aria-label="What happened">
          {row && <Story key={row.id} row={row} />}
        </section>
        <section class="phone" aria-label="Phone">
          {row?.phone ? <Phone phone={row.phone} chosen={row.id} /> : <div class="device is-off" />}
        </section>
      </div>
    </div>
  );
}

function focus(id: string): void {
  document.getElementById(id)?.focus();
}

/** Focuses the field once the phone is rendered, but before the next key arrives. */
function reply(): void {
  isPhone.value = true;
  queueMicrotask(() => focus('reply'));
}

/** The way back to the list, and the choice between the story and the phone. */
function Side({ phone }: { readonly phone: string }) {
  const isOpen = route.value.item !== '';
  useEffect(() => {
    if (isOpen && narrow.value) focus('back');
  }, [isOpen]);
  return (
    <div class="side-tabs tabs">
      <button id="back" class="back" onClick={goBack}>
        <Icon name="back" /> Back
      </button>
      <div role="group" aria-label="Side">
        <button aria-pressed={!isPhone.value || !phone} onClick={() => (isPhone.value = false)}>
          Story
        </button>
        <button
          aria-pressed={isPhone.value && phone !== ''}
          disabled={phone === ''}
          onClick={() => (isPhone.value = true)}
        >
          Phone
        </button>
      </div>
    </div>
  );
}
