import { signal } from '@preact/signals';
import type { RenderableProps } from 'preact';
import { useEffect } from 'preact/hooks';
import { send } from '../ask.ts';
import { Frozen } from '../clock.tsx';
import { Icon } from '../icons.tsx';
import { askNames, chosen, countIn, environment, filter, rows, shown, tab, type TabName, webhooks } from '../model.ts';
import { act, Command } from '../notice.tsx';
import { goBack, goTo, isNarrow, route } from '../route.ts';
import { useKeys } from '../shortcuts.tsx';
import { listen, testNumbers } from '../words.ts';
import { List } from './list.tsx';
import { Phone } from './phone.tsx';
import { Story } from './story.tsx';
import { Strip } from './strip.tsx';

/** Whether the phone is shown instead of the story, where there is no room for both. */
const isPhone = signal(false);

/** The list of everything that happened, the story of the chosen row, and its phone. */
export function Activity() {
  useKeys({ Escape: goBack, Enter: () => focus('story'), r: reply, '/': () => focus('filter') });
  const row = chosen.value;
  const isOpen = route.value.item !== '';
  if (rows.value.length === 0 && !isOpen) return <Empty />;
  const hasPhone = isPhone.value && row?.phone;
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
      <div class={`side ${hasPhone ? 'has-phone' : ''}`} onFocusIn={stay}>
        <Side isOpen={isOpen} hasPhone={!!row?.phone} />
        <section id="story" class="story" tabIndex={-1} aria-label="What happened">
          {row && <Story key={row.id} row={row} />}
        </section>
        <section class="phone" aria-label="Phone">
          {row?.phone && <Phone key={row.phone} row={row} />}
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

const tabs: readonly TabName[] = ['all', 'problems', 'retrying', 'replies'];

/** Which rows are shown. */
function Tabs() {
  return (
    <div class="tabs line" role="group" aria-label="Show">
      {tabs.map((name) => (
        <button key={name} aria-pressed={name === tab.value} onClick={() => (tab.value = name)}>
          {name}{' '}
          <span class={name === 'problems' && countIn(name) !== '0' ? 'is-bad' : undefined}>{countIn(name)}</span>
        </button>
      ))}
      <input
        type="search"
        id="filter"
        aria-label="Filter"
        placeholder="Filter /"
        title="A number, text, event or status"
        value={filter.value}
        onFocus={() => void askNames()}
        onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
      />
    </div>
  );
}

/** The way back to the list, and the choice between the story and the phone. */
function Side({ isOpen, hasPhone }: { readonly isOpen: boolean; readonly hasPhone: boolean }) {
  useEffect(() => {
    if (isOpen && isNarrow.value) focus('back');
  }, [isOpen]);
  return (
    <div class="side-tabs tabs line">
      <button id="back" onClick={goBack}>
        <Icon name="back" /> Back
      </button>
      <div role="group" aria-label="Side">
        <button aria-pressed={!isPhone.value || !hasPhone} onClick={() => (isPhone.value = false)}>
          Story
        </button>
        <button aria-pressed={isPhone.value && hasPhone} disabled={!hasPhone} onClick={() => (isPhone.value = true)}>
          Phone
        </button>
      </div>
    </div>
  );
}

const first = { to: testNumbers[0].phone, template: 'welcome', params: [] };

/** The first steps, until something has happened. */
function Empty() {
  return (
    <section class="empty" aria-label="First steps">
      <h2>Waiting for your first message</h2>
      <p class="note">Nothing here reaches a real phone. This page updates by itself.</p>
      <ol>
        <StepOf title="1 Send a message">
          <button class="main" onClick={() => void act(() => send(first))}>
            Send one now
          </button>
          <Command>{`bizmsg send-template ${first.to} ${first.template} --profile local`}</Command>
        </StepOf>
        <StepOf title={`${webhooks.value?.length ? '✓' : '2'} Receive its events in your handler`}>
          <Command>{listen}</Command>
        </StepOf>
        <StepOf title="3 Or call it from your code">
          <Command>{environment.value.trim()}</Command>
        </StepOf>
      </ol>
      <p class="note">
        {testNumbers.map(({ phone, does }, at) => (
          <>
            {at > 0 && ' · '}
            <code>…{phone.slice(-4)}</code> {does}
          </>
        ))}
      </p>
    </section>
  );
}

function StepOf({ title, children }: RenderableProps<{ readonly title: string }>) {
  return (
    <li class="card">
      <h3>{title}</h3>
      {children}
    </li>
  );
}
