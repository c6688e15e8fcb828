import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, fsError, usage } from '../../base/errors.ts';
import { command, type Context } from '../../cli/command.ts';
import { option, rest } from '../../cli/params.ts';
import type { PlanName } from '../../contract/plans.ts';
import type { LocatedSandbox } from '../../sandbox/serve.ts';
import { planOption } from './start.ts';

const params = {
  webhook: option('--webhook <url>', 'send events to this URL, once a server listens there'),
  plan: planOption,
  words: rest('-- <command...>', 'the command and its arguments, as they are'),
} as const;

export const execInSandbox = command({
  name: 'exec',
  summary: 'Run a command against its own temporary sandbox, for tests and CI',
  details: [
    'The command finds the address, a key and the webhook secret of the sandbox in',
    'BIZMSG_BASE_URL, BIZMSG_API_KEY and BIZMSG_WEBHOOK_SECRET. This bizmsg is in PATH;',
    'there, --profile local is that sandbox. The exit code is that of the command. When it',
    'ends, the sandbox is stopped and, without a terminal, so are its background processes.',
  ].join('\n'),
  params,
  examples: ['sandbox exec -- bizmsg contacts list', 'sandbox exec --plan starter -- npm test'],
  sample:
    'id\tphone\tname\ttags\tattributes\tcreated_at\ncon_sandbox_1\t+12025550111\tGrace Hopper\t["customer"]\t{}\t2026-…\n…',
  accepts: [],
  piped: 'text',
  run: async (context, { words, webhook, plan }) => {
    if (words.length === 0) throw usage('no command is given', 'put it after --: bizmsg sandbox exec -- npm test');
    if (words[0] === '') throw usage('the command is empty', 'is a variable not set?');
    const url = webhook === undefined ? undefined : await checkedUrl(webhook);
    const folder = await writableFolder(context);
    const served = await serveAlone(context, folder.path, plan);
    const over = new AbortController();
    const registering = url && registerWebhook(context, served, url, over.signal);
    // Awaited below, when the command has ended.
    registering?.catch(() => {});
    try {
      return { code: await run(context, served, folder, words) };
    } finally {
      over.abort();
      await served.close();
      folder.remove();
      await registering;
    }
  },
  view: () => '',
  exit: ({ code }) => code,
});

async function run(
  context: Context,
  { sandbox, locator, ending, close }: LocatedSandbox,
  { path: stateFolder, isTemporary }: Folder,
  words: readonly string[],
) {
  if (context.given.debug) context.note('sandbox', `the sandbox of this command is ${locator.url}`);
  void ending.then(() => {
    context.note('sandbox', `the sandbox of this command was stopped: ${locator.url}`);
    return close();
  });
  const { runCommand } = await import('../child.ts');
  const variables = {
    BIZMSG_BASE_URL: locator.url,
    BIZMSG_API_KEY: locator.keys.sandbox,
    BIZMSG_WEBHOOK_SECRET: sandbox.secret(),
    BIZMSG_LOCAL_ONLY: '1',
    ...(isTemporary && { BIZMSG_STATE_DIR: stateFolder }),
  };
  return runCommand(context.host, { command: words, stateFolder, variables });
}

interface Folder {
  readonly path: string;
  readonly isTemporary: boolean;
  remove(): void;
}

/** The state folder; a temporary one if that cannot be written, as in some containers of CI. */
async function writableFolder(context: Context): Promise<Folder> {
  const path = context.stateFolder();
  const { locatorFolder } = await import('../../sandbox/remote/locator.ts');
  try {
    locatorFolder(path);
    return { path, isTemporary: false, remove: () => {} };
  } catch (error) {
    if (!(error instanceof CliError || fsError(error))) throw error;
    const temporary = mkdtempSync(join(tmpdir(), 'bizmsg-'));
    return { path: temporary, isTemporary: true, remove: () => rmSync(temporary, { recursive: true, force: true }) };
  }
}

async function serveAlone(context: Context, stateFolder: string, plan: PlanName | undefined) {
  const [{ createSandbox }, { serve }] = await Promise.all([
    import('../../sandbox/sandbox.ts'),
    import('../../sandbox/serve.ts'),
  ]);
  const warn = (text: string) => context.note('sandbox', text);
  const sandbox = () => createSandbox({ plan, warn });
  const alone = { stateFolder, data: null, port: 0, idle: Infinity, background: false };
  return serve({ ...alone, sandbox, build: __BUILD__, host: context.host, warn });
}

/** Checks the URL before the command runs. */
async function checkedUrl(text: string): Promise<URL> {
  const [{ webhookUrl }, { Refusal }] = await Promise.all([
    import('../../sandbox/events/webhooks.ts'),
    import('../../sandbox/refusal.ts'),
  ]);
  const read = (external: boolean, word: (why: string) => string) => {
    try {
      return webhookUrl(text, external);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw usage(`--webhook: ${word(error.message)}`, 'use an address such as http://127.0.0.1:3000/hooks');
    }
  };
  read(true, (why) => why);
  return read(false, () => `${new URL(text).hostname} is not this machine`);
}

/** Registers the webhook once a server listens there; a failed delivery would be retried only after 5 s. */
async function registerWebhook(
  context: Context,
  { sandbox }: LocatedSandbox,
  url: URL,
  over: AbortSignal,
): Promise<void> {
  if (await waitForServer(url, over)) sandbox.webhooks.add({ url: url.href, catchUp: true });
  else context.note('webhook', `no server listened at ${url.host}, so it got no events`);
}

const poll = 100;

/** Polls until a server accepts a connection. Returns false if it is aborted. */
async function waitForServer(url: URL, over: AbortSignal): Promise<boolean> {
  while (!over.aborted) {
    if (await answers(url, over)) return true;
    await sleep(poll, undefined, { signal: over }).catch(() => {});
  }
  return false;
}

async function answers({ hostname, port, protocol }: URL, signal: AbortSignal): Promise<boolean> {
  const { connect } = await import('node:net');
  // Names below localhost are this machine, even if the resolver does not know them.
  const host = hostname.replace(/^\[|\]$/g, '').replace(/^.+\.(?=localhost\.?$)/, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)), signal });
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      resolve(true);
      socket.destroy();
    });
  });
}
