import { spawnSync } from 'node:child_process';
import { type Browser, chromium, type ConsoleMessage, type Locator, type Page, type Request } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import { pageLink } from '../../src/commands/sandbox/env.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { bearing } from '../sandbox/calls.ts';
import { bin, startBin } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { openWorld, type World } from '../support/world.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => spawnSync(path, ['--version']).status === 0,
);

/** The reason why tests in a browser cannot run here, if any. */
export const noBrowser =
  executablePath === undefined
    ? 'skipped: chromium is not installed, or cannot run (apt-get install chromium)'
    : undefined;

interface TabOptions {
  /** The only problem that it may report. */
  readonly expected?: RegExp;
  readonly viewport?: { readonly width: number; readonly height: number };
}

const safe = ['--no-sandbox', '--disable-dev-shm-usage'];
/** One renderer for all windows, since each process takes CPU time to start; the GPU would be simulated by another process. */
const cheap = ['--renderer-process-limit=1', '--disable-site-isolation-trials', '--disable-gpu', '--in-process-gpu'];

/** One browser for all test files of a worker; it ends with the worker. */
let browser: Promise<Browser> | undefined;
/** A window that no test uses. A new one takes a second of CPU time. */
let spare: Page | undefined;

export function useBrowser() {
  beforeAll(async () => {
    await (browser ??= chromium.launch({ executablePath, args: [...safe, ...cheap] }));
  });
  return {
    /** Opens a link in a new window. After the test it must have reported no problem. */
    async open(link: string, { expected = /^$/, viewport = { width: 1280, height: 800 } }: TabOptions = {}) {
      const page = spare ?? (await (await browser)?.newPage());
      spare = undefined;
      if (!page) throw new Error('the browser has not started');
      const { problems, stop } = watch(page, expected);
      onTestFinished(async () => {
        if (spare) await page.context().close();
        else {
          await clean(page);
          spare = page;
        }
        stop();
        expect(problems).toEqual([]);
      });
      await page.setViewportSize(viewport);
      await page.goto(link);
      return page;
    },
  };
}

/** Resets what a test may have changed in a window. */
async function clean(page: Page): Promise<void> {
  await page.evaluate(
    'location.protocol === "http:" && [localStorage, sessionStorage].forEach((storage) => storage.clear())',
  );
  await page.goto('about:blank');
  await page.unrouteAll();
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.mouse.move(0, 0);
}

/** Collects messages of the console, which include violations of the content security policy, and foreign requests. */
function watch(page: Page, expected: RegExp): { readonly problems: readonly string[]; stop(): void } {
  const problems: string[] = [];
  const onError = (error: Error) => void problems.push(String(error));
  const onMessage = (message: ConsoleMessage) => {
    // A stopped sandbox refuses connections, and a wrong token is a 403; Chromium reports both here.
    const isExpected = /net::ERR_|status of 403/.test(message.text()) || expected.test(message.text());
    if (!isExpected && ['error', 'warning'].includes(message.type())) problems.push(message.text());
  };
  const onRequest = (request: Request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1') problems.push(`request to ${request.url()}`);
  };
  page.on('pageerror', onError).on('console', onMessage).on('request', onRequest);
  return {
    problems,
    stop: () => void page.off('pageerror', onError).off('console', onMessage).off('request', onRequest),
  };
}

/** Addresses of the page, each with the label of what it shows. */
const shownAt = {
  activity: 'Activity',
  'activity/%2B12025550101': 'Phone',
  data: 'Search contacts',
  'data/contacts%2F%2B12025550111': 'Details',
  'data/templates%2Forder_update': 'Details',
  'data/campaigns%2Fcmp_sandbox_2': 'Details',
  setup: 'Plan',
} as const;

type Address = keyof typeof shownAt;

export const addresses: readonly Address[] = Object.keys(shownAt).filter((name): name is Address => name in shownAt);

/** Goes to an address of the page that is open, without loading it again. */
export async function show(page: Page, address: Address): Promise<void> {
  await page.goto(new URL(`#${address}`, page.url()).href);
  const place = page.getByRole('main').getByLabel(shownAt[address], { exact: true }).first();
  await place
    .or(page.getByRole('button', { name: 'Phone' }))
    .or(firstSteps(page))
    .first()
    .waitFor();
}

/** The heading of an empty sandbox. */
export function firstSteps(page: Page): Locator {
  return page.getByRole('heading', { name: 'Waiting for your first message' });
}

/** The rows of Activity. */
export function rowsOn(page: Page): Locator {
  return page.getByRole('listbox', { name: 'Activity' }).getByRole('option');
}

/** The story of the chosen row. */
export function storyOn(page: Page): Locator {
  return page.getByRole('region', { name: 'What happened' });
}

/** Serves a seeded sandbox with a frozen clock, for all tests of a file. Each test starts with an empty one. */
export function useSandbox(options: SandboxOptions = {}) {
  let world: World | undefined;
  const current = () => {
    if (!world) throw new Error('the sandbox has not started');
    return world;
  };
  beforeAll(async () => {
    world = await openWorld({ seed: 'page', clock: manualClock(), ...options });
  });
  beforeEach(() => {
    const { sandbox } = current();
    for (const { id } of sandbox.webhooks.list()) sandbox.webhooks.remove(id);
    sandbox.faults.clear();
    sandbox.reset('all');
  });
  afterAll(() => world?.close());
  return {
    get sandbox() {
      return current().sandbox;
    },
    get url() {
      return current().url;
    },
    get token() {
      return current().locator.token;
    },
    /** The link that `sandbox open` prints. */
    get link() {
      return pageLink(current().locator);
    },
    /** Sends a message through the API; returns its id. */
    async send(to: string, template: string, params: readonly string[] = []): Promise<string> {
      const { sandbox, url } = current();
      const answer = await fetch(url + endpoints.sendTemplate.path, {
        method: 'POST',
        headers: bearing(sandbox.keys.sandbox),
        body: JSON.stringify({ to, template, params }),
      });
      return endpoints.sendTemplate.answer(await answer.json()).message_id;
    },
  };
}

/** Starts a sandbox in its own process, which the test ends. */
export async function startApart(home: string, port = '0') {
  const process = startBin(['sandbox', 'start', '--port', port], { home });
  onTestFinished(() => void alive(process.pid, 'SIGKILL'));
  await expect.poll(() => process.stdout()).toContain('Ready');
  const url = /http:\S+/.exec(process.stdout())?.[0] ?? '';
  const run = async (...argv: string[]) => (await bin(argv, { home })).stdout.trim();
  return {
    url,
    run,
    /** The link to its page. */
    link: () => run('sandbox', 'open', '--print', '--url', url),
    async kill() {
      alive(process.pid, 'SIGKILL');
      await process.ended;
    },
  };
}
