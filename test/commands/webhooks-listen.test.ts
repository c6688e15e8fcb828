import { expect, it, onTestFinished } from 'vitest';
import { deadPort } from '../client/servers.ts';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { announced } from '../support/listeners.ts';
import { listener } from './webhooks-rig.ts';

const account = { BIZMSG_API_KEY: 'sk_test_4f9Qm2ZpL8xVt3HdXk7R', BIZMSG_BASE_URL: 'https://api.example.com' };

/** Starts a listener in this process. */
async function listen(env: Readonly<Record<string, string>>, ...argv: readonly string[]) {
  const home = newHome();
  const over = new AbortController();
  onTestFinished(() => over.abort('SIGINT'));
  const words = ['webhooks', 'listen', '--port', '0', ...argv];
  const { running, url } = await announced(home, () => cli(words, { home, env, signal: over.signal }));
  const end = async () => {
    over.abort('SIGINT');
    return (await running).stderr;
  };
  return { home, url, end };
}

const send = (url: string, type: string) => fetch(url, { method: 'POST', body: JSON.stringify({ type }) });

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

it.each([
  ['STOP', 'is'],
  ['stop the noise', 'may be'],
])('without --opt-outs offers the command for the reply %s', async (text, how) => {
  const { url, end } = await listen(account);
  const data = { from: '+12025550142', text };
  await fetch(url, { method: 'POST', body: JSON.stringify({ type: 'message.received', data }) });
  expect(await end()).toContain(`"${text}" ${how} an opt-out; bizmsg opt-outs add +12025550142 adds it\n`);
});

it('explains once how to resend events that the handler did not accept', async () => {
  const { home, url, end } = await listen({}, '--forward-to', String(await deadPort()));
  await send(url, 'order.paid');
  await send(url, 'order.paid');
  const failed = async () => (await cli(['webhooks', 'list', '--failed', '-o', 'id'], { home })).stdout;
  await expect.poll(async () => (await failed()).split('\n').length).toBe(3);
  const [id = ''] = (await failed()).split('\n');
  expect((await end()).split(`webhooks replay ${id} sends it again, --failed all that failed`)).toHaveLength(2);
});

const elsewhere = 'https://hooks.example.com';
const lines = [
  [`webhooks listen --port 0 --forward-to ${elsewhere}/a`, 'Forward events'],
  [`webhooks replay e --to ${elsewhere}/a`, 'Send events'],
] as const;

it.each(lines)('sends nothing to another machine without confirmation: %s', async (line, question) => {
  const { run, send } = await listener();
  await send('1');
  const { code, stderr } = await run(line);
  expect([code, stderr]).toEqual([11, expect.stringContaining(`needs confirmation: ${question} to ${elsewhere}?`)]);
});

it.each(lines)('sends nothing to another machine with BIZMSG_LOCAL_ONLY=1, even with --yes: %s', async (line) => {
  const { run, send } = await listener();
  await send('1');
  const { code, stderr } = await run(line.replace('webhooks', '--yes webhooks'), { env: { BIZMSG_LOCAL_ONLY: '1' } });
  expect([code, stderr]).toEqual([11, expect.stringContaining(`BIZMSG_LOCAL_ONLY=1 refuses ${elsewhere}`)]);
});
