import { expect, it, onTestFinished } from 'vitest';
import type { Host } from '../../src/base/host.ts';
import { deadPort } from '../client/servers.ts';
import { cli, later } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { announced } from '../support/listeners.ts';

const account = { BIZMSG_API_KEY: 'sk_test_4f9Qm2ZpL8xVt3HdXk7R', BIZMSG_BASE_URL: 'https://api.example.com' };
const minute = 60_000;

interface Wait {
  readonly end: () => void;
  isOff: boolean;
}

interface Listening {
  readonly home: string;
  readonly url: string;
  /** One-minute waits; each lasts until the test ends it. */
  readonly waits: readonly Wait[];
  /** Ends the listener; returns its stderr. */
  end(): Promise<string>;
}

/** Starts a listener in this process; its one-minute waits end only when the test ends them. */
async function listen(env: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<Listening> {
  const home = newHome();
  const over = new AbortController();
  const waits: Wait[] = [];
  onTestFinished(() => over.abort('SIGINT'));
  const held: Host['later'] = (milliseconds, end) => {
    if (milliseconds < minute) return later(milliseconds, end);
    const wait = { end, isOff: false };
    waits.push(wait);
    return () => void (wait.isOff = true);
  };
  const words = ['webhooks', 'listen', '--port', '0', ...argv];
  const { running, url } = await announced(home, () => cli(words, { home, env, later: held, signal: over.signal }));
  const end = async () => {
    over.abort('SIGINT');
    return (await running).stderr;
  };
  return { home, url, waits, end };
}

const send = (url: string, type: string) => fetch(url, { method: 'POST', body: JSON.stringify({ type }) });

it('repeats after a minute without events that an account’s events arrive only through a public address', async () => {
  const { url, waits, end } = await listen(account);
  await expect.poll(() => waits.length).toBe(1);
  waits[0]?.end();
  const text = `events of the account of BIZMSG_API_KEY arrive only through a public address that leads to ${url}`;
  const notes = (await end()).split('\n').map((line) => line.replace(/ and is registered in .*/, ''));
  expect(notes.slice(0, 2)).toEqual([`note: ${text}`, `note: no events yet: ${text}`]);
  expect(waits).toHaveLength(1);
});

it.each([
  ['that is shown', []],
  ['that is not shown', ['--events', 'message']],
])('does not repeat the note if an event %s arrives within the minute', async (_, argv) => {
  const { url, waits, end } = await listen(account, ...argv);
  await send(url, 'order.paid');
  await expect.poll(() => waits).toMatchObject([{ isOff: true }]);
  expect(await end()).not.toContain('no events yet');
});

it('warns with its address if the network can reach it', async () => {
  const { url, end } = await listen({}, '--host', '0.0.0.0');
  expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
  expect(await end()).toContain(`listening on ${new URL(url).host}: anyone who can reach this machine can send events`);
});

it.each([
  ['an account', account],
  ['no profile', {}],
])('refuses --catch-up with %s', async (_, env) => {
  const { code, stderr } = await cli(['webhooks', 'listen', '--port', '0', '--catch-up'], { home: newHome(), env });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--catch-up needs the sandbox')]);
});

it('explains once how to resend events that the handler did not accept', async () => {
  const { home, url, end } = await listen({}, '--forward-to', String(await deadPort()));
  await send(url, 'order.paid');
  await send(url, 'order.paid');
  const failed = async () => (await cli(['webhooks', 'history', '--failed', '-o', 'id'], { home })).stdout;
  await expect.poll(async () => (await failed()).split('\n').length).toBe(3);
  const [id = ''] = (await failed()).split('\n');
  expect((await end()).split(`webhooks replay ${id} sends it again; --failed sends all`)).toHaveLength(2);
});
