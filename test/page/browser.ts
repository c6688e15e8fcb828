import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import { pageLink } from '../../src/commands/sandbox/status.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import type { Sandbox } from '../../src/sandbox/interface.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { openWorld, type World } from '../support/world.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** The reason why tests in a browser cannot run here, if any. */
export const noBrowser =
  executablePath === undefined ? 'skipped: chromium is not installed (apt-get install chromium)' : undefined;

export interface Tabs {
  /** Opens a link in a new window. After the test it must have reported no problem, besides this one. */
  open(link: string, options?: TabOptions): Promise<Page>;
}

interface TabOptions extends BrowserContextOptions {
  readonly expected?: RegExp;
}

/** Until a poll fails: a browser is slow on a busy machine. */
export const patience = { timeout: 20_000 };

/** One browser for all tests of a file. */
export function useBrowser(): Tabs {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  });
  afterAll(() => browser?.close());
  return {
    async open(link, { expected = /^$/, ...options } = {}) {
      if (!browser) throw new Error('the browser has not started');
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const page = await context.newPage();
      const problems = watch(page, expected);
      onTestFinished(async () => {
        await context.close();
        expect(problems).toEqual([]);
      });
      await page.goto(link);
      return page;
    },
  };
}

/** Collects messages of the console, which include violations of the content security policy, and foreign requests. */
function watch(page: Page, expected: RegExp): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // A stopped sandbox refuses connections, and a wrong token is a 403; Chromium reports both here.
    const isExpected = /net::ERR_|status of 403/.test(message.text()) || expected.test(message.text());
    if (!isExpected && ['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1') problems.push(`request to ${request.url()}`);
  });
  return problems;
}

interface Shown {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly token: string;
  /** The link that `sandbox open` prints. */
  readonly link: string;
  /** Sends a message through the API; returns its id. */
  send(to: string, template: string, params?: readonly string[]): Promise<string>;
}

/** Serves a seeded sandbox with a frozen clock, for all tests of a file. Each test starts with an empty one. */
export function useSandbox(options: SandboxOptions = {}): Shown {
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
    get link() {
      return pageLink(current().locator);
    },
    async send(to, template, params = []) {
      const { sandbox, url } = current();
      const answer = await fetch(url + endpoints.sendTemplate.path, {
        method: 'POST',
        headers: { authorization: `Bearer ${sandbox.keys.sandbox}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to, template, params }),
      });
      return endpoints.sendTemplate.answer(await answer.json()).message_id;
    },
  };
}
