import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { Activity } from './activity/activity.tsx';
import { ask } from './ask.ts';
import { Clock } from './clock.tsx';
import { compose, Compose } from './compose.tsx';
import { follow, link, type Link, takeToken } from './connection.ts';
import { Data } from './data.tsx';
import { Popover } from './dialog.tsx';
import { Finder } from './finder.tsx';
import { Icon } from './icons.tsx';
import { countIn, environment, followWall } from './model.ts';
import { act, Command, Notice } from './notice.tsx';
import { followAddress, linkTo, places, route } from './route.ts';
import { Setup } from './setup.tsx';
import { isFinding, listenForKeys, Shortcuts } from './shortcuts.tsx';
import { reduce, state } from './state.ts';

const shown = { activity: Activity, data: Data, setup: Setup };

function App() {
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

/** Values of color-scheme. */
const themes = { 'light dark': 'system', light: 'light', dark: 'dark' } as const;
const theme = signal(localStorage.getItem('bizmsg-theme') ?? 'light dark');

/** In a narrow window it also has what has no room in the bar. */
function Menu() {
  return (
    <div class="menu">
      <button class="if-narrow" onClick={() => (isFinding.value = true)}>
        Find anything
      </button>
      <select
        aria-label="Theme"
        value={theme.value}
        onChange={({ currentTarget }) => (theme.value = currentTarget.value)}
      >
        {Object.entries(themes).map(([value, name]) => (
          <option key={name} value={value}>
            {name} theme
          </option>
        ))}
      </select>
      <Shortcuts />
      <details>
        <summary>Clear messages and logs</summary>
        <p>This removes the messages, replies, events and requests. Contacts, templates, keys and webhooks stay.</p>
        <button class="main" data-closes onClick={() => void act(clear, () => 'Cleared')}>
          Clear all
        </button>
      </details>
      <div class="if-narrow">
        <Connect />
      </div>
    </div>
  );
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

takeToken();
// A link that is pasted into an open tab changes only the fragment.
addEventListener('hashchange', takeToken);
effect(() => {
  document.documentElement.style.colorScheme = theme.value;
  localStorage.setItem('bizmsg-theme', theme.value);
});
followAddress();
listenForKeys();
followWall();
void follow((records) => (state.value = records.reduce(reduce, state.value)));
const root = document.getElementById('page');
if (root) render(<App />, root);
