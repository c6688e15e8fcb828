import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Activity } from './activity/activity.tsx';
import { ask } from './ask.ts';
import { Clock } from './clock.tsx';
import { compose, Compose } from './compose.tsx';
import { link, type Link, state } from './connection.ts';
import { Data } from './data.tsx';
import { Confirm, Popover } from './dialog.tsx';
import { Finder } from './finder.tsx';
import { Icon } from './icons.tsx';
import { countIn, environment } from './known.ts';
import { Command, Notice } from './notice.tsx';
import { linkTo, places, route } from './route.ts';
import { Setup } from './setup.tsx';
import { isFinding, Shortcuts } from './shortcuts.tsx';

const shown = { activity: Activity, data: Data, setup: Setup };

export function App() {
  const { place } = route.value;
  const Place = shown[place];
  const title = places.find(({ name }) => name === place)?.title ?? '';
  const problems = countIn('problems');
  useEffect(() => {
    document.title = `${problems === '0' ? '' : `(${problems}) `}${title} · SANDBOX · bizmsg`;
  }, [title, problems]);
  return (
    <>
      <Bar />
      <Trouble />
      <main>
        <h1 class="unseen">{title}</h1>
        {state.value.isLoaded && <Place />}
      </main>
      <Notice />
      <Finder />
      <Compose />
    </>
  );
}

function Bar() {
  const { place } = route.value;
  return (
    <header class="bar">
      <button class="skip" onClick={skip}>
        Skip to the list
      </button>
      <strong class="brand">
        <span>bizmsg</span> <small title="Nothing here reaches a real phone">SANDBOX</small>
      </strong>
      <nav aria-label="Places">
        {places.map(({ name, title }) => (
          <a key={name} href={linkTo(name)} aria-current={name === place ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <button class="find" aria-label="Find anything ⌘K" onClick={() => (isFinding.value = true)}>
        <Icon name="search" /> <span>Find anything</span> <kbd>⌘K</kbd>
      </button>
      <Clock />
      <Popover title="Connect" button="Connect" class="connect-button">
        <Connect />
      </Popover>
      <button class="main" onClick={() => compose()}>
        Send
      </button>
      <Popover title="More" label="Menu" class="quiet" button={<Icon name="more" />}>
        <Menu />
      </Popover>
    </header>
  );
}

function skip(): void {
  document.querySelector<HTMLElement>('.rows, :is(.place, .empty) :is(input, a, button)')?.focus();
}

const themes = ['system', 'light', 'dark'] as const;
const stored = 'bizmsg-theme';
const theme = signal(localStorage.getItem(stored) ?? 'system');

/** In a narrow window it also has what has no room in the bar. */
function Menu() {
  return (
    <div class="menu">
      <button class="if-narrow" onClick={() => (isFinding.value = true)}>
        Find anything
      </button>
      <div role="group" aria-label="Theme" class="line">
        {themes.map((name) => (
          <button key={name} aria-pressed={name === theme.value} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
      </div>
      <Shortcuts />
      <Confirm
        does="Clear all messages and logs"
        text="This removes the messages, replies, events and requests. Contacts, templates, keys and webhooks stay."
        action={clear}
      />
      <div class="if-narrow">
        <Connect />
      </div>
    </div>
  );
}

function choose(name: (typeof themes)[number]): void {
  theme.value = name;
  localStorage.setItem(stored, name);
  followTheme();
}

export function followTheme(): void {
  document.documentElement.dataset['theme'] = theme.value;
}

async function clear(): Promise<void> {
  await ask('reset', { what: 'messages' });
  await ask('reset', { what: 'logs' });
}

/** The lines of a program's .env. */
function Connect() {
  return (
    <>
      <p>Put these lines into the .env of your program.</p>
      <Command>{environment.value}</Command>
    </>
  );
}

const troubles: Partial<Record<Link, { readonly text: string; readonly command: string }>> = {
  stopped: {
    text: 'This sandbox has ended. Start it again to continue here:',
    command: `bizmsg sandbox start --background${location.port === '4780' ? '' : ` --port ${location.port}`}`,
  },
  refused: {
    text: 'This link is not valid any more: each start of the sandbox has a new one. Get it with:',
    command: 'bizmsg sandbox open',
  },
};

/** Why the page does not follow the sandbox, and what to do. */
function Trouble() {
  const trouble = troubles[link.value];
  return (
    <div role="alert" class={trouble && 'trouble'}>
      {trouble && (
        <>
          {trouble.text} <Command>{trouble.command}</Command>
        </>
      )}
    </div>
  );
}
