import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { ask, useAsked } from './ask.ts';
import { Clock } from './clock.tsx';
import { link, type Link, state } from './connection.ts';
import { Confirm } from './dialog.tsx';
import { Finder } from './finder.tsx';
import { Copy, Notice } from './notice.tsx';
import { Icon } from './icons.tsx';
import { linkTo, route } from './route.ts';
import { Contents } from './screens/contents.tsx';
import { Deliveries } from './screens/deliveries.tsx';
import { Limits } from './screens/limits.tsx';
import { Phones } from './screens/phones.tsx';
import { Timeline } from './screens/timeline.tsx';
import { Help, isFinding, isHelpOpen, useKeys } from './shortcuts.tsx';
import { resultOf } from './timeline.ts';
import { type ScreenName, screens } from './words.ts';

const shown: Readonly<Record<ScreenName, () => JSX.Element>> = {
  phones: Phones,
  timeline: Timeline,
  deliveries: Deliveries,
  contents: Contents,
  limits: Limits,
};

export function App() {
  useKeys({ '?': () => (isHelpOpen.value = true) });
  const { screen } = route.value;
  const Screen = shown[screen];
  const { title } = screens.find(({ name }) => name === screen) ?? screens[0];
  useEffect(() => {
    document.title = `SANDBOX · ${title} · bizmsg`;
  }, [title]);
  return (
    <>
      <header class="bar">
        <strong class="sandbox" title="Nothing here reaches a real phone">
          SANDBOX
        </strong>
        <nav aria-label="Screens">
          {screens.map(({ name, title }) => (
            <a key={name} href={linkTo(name)} aria-current={name === screen ? 'page' : undefined}>
              {title}
              {name === 'deliveries' && <Failing />}
            </a>
          ))}
        </nav>
        <Clock />
        <Tools />
      </header>
      <Trouble />
      <main>
        <h1 class="unseen">{title}</h1>
        {state.value.isLoaded ? <Screen /> : <p class="empty">{link.value === 'connecting' ? 'Loading' : ''}</p>}
      </main>
      <Notice />
      <Help />
      <Finder />
      <Confirm />
    </>
  );
}

/** A dot if one of the last deliveries failed. */
function Failing() {
  const rows = useAsked('deliveries', 'deliveries', { limit: 20 }) ?? [];
  const isFailing = rows.some((row) => row.attempts > 0 && resultOf(row).state !== 'delivered');
  return isFailing ? (
    <span class="dot" title="A delivery failed">
      <span class="unseen">a delivery failed</span>
    </span>
  ) : null;
}

const themes = ['system', 'light', 'dark'] as const;
const stored = 'bizmsg-theme';
const theme = signal(localStorage.getItem(stored));

/** How to connect a program, the theme, and the shortcuts. */
function Tools() {
  const chosen = themes.find((one) => one === theme.value) ?? 'system';
  useLayoutEffect(() => {
    document.documentElement.dataset['theme'] = chosen;
    localStorage.setItem(stored, chosen);
  }, [chosen]);
  const next = themes[(themes.indexOf(chosen) + 1) % themes.length];
  return (
    <div class="bar-tools">
      <button
        type="button"
        class="icon-button"
        aria-label="Find anything"
        title="Find anything (Ctrl K)"
        onClick={() => (isFinding.value = true)}
      >
        <Icon name="search" />
      </button>
      <Connect />
      <button
        type="button"
        class="icon-button"
        aria-label={`Theme: ${chosen}`}
        title={`Theme: ${chosen}`}
        onClick={() => (theme.value = next ?? 'system')}
      >
        <Icon name={chosen} />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Shortcuts"
        title="Shortcuts"
        onClick={() => (isHelpOpen.value = true)}
      >
        <Icon name="keys" />
      </button>
    </div>
  );
}

/** The address and the secrets for a program that calls this sandbox. */
function Connect() {
  return (
    <details
      class="menu"
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return;
        currentTarget.open = false;
        currentTarget.querySelector('summary')?.focus();
      }}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) currentTarget.open = false;
      }}
    >
      <summary>Connect</summary>
      <div class="sheet">
        <code>{location.origin}</code>
        <Copy label="Copy address" text={location.origin} />
        <Copy label="Copy .env" title="Copies the base URL, the API key and the webhook secret" text={environment} />
        <Copy label="Copy curl" text={curl} />
        <Copy label="Copy webhook secret" text={async () => (await ask('env')).secret} />
      </div>
    </details>
  );
}

async function curl(): Promise<string> {
  const { url, keys } = await ask('env');
  return `curl ${url}/api/public/templates -H 'Authorization: Bearer ${keys.sandbox}'`;
}

async function environment(): Promise<string> {
  const { url, keys, secret } = await ask('env');
  return `BIZMSG_BASE_URL=${url}\nBIZMSG_API_KEY=${keys.sandbox}\nBIZMSG_WEBHOOK_SECRET=${secret}\n`;
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
  const wasTrouble = useRef(false);
  wasTrouble.current ||= trouble !== undefined;
  return (
    <div role="alert" class={trouble ? 'trouble' : undefined}>
      {trouble ? (
        <>
          {trouble.text} <code>{trouble.command}</code> <Copy label="Copy" text={trouble.command} />
          {link.value === 'stopped' && (
            <>
              {' '}
              To open the page of another one: <code>bizmsg sandbox open</code>
            </>
          )}
        </>
      ) : (
        wasTrouble.current && <span class="unseen">The page follows the sandbox again.</span>
      )}
    </div>
  );
}
