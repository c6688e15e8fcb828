import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { usage } from '../../base/errors.ts';
import { sleep } from '../../base/sleep.ts';
import { command, type Context } from '../../cli/command.ts';
import { type Input, option, rest } from '../../cli/params.ts';
import { defaultData } from '../../sandbox/remote/locator.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { isThisMachine } from '../../delivery/this-machine.ts';
import { forwardUrl } from '../../webhooks/forward.ts';
import { planOption } from './start.ts';

const params = {
  webhook: option('--webhook <url>', 'send events to this URL, once a server listens there'),
  plan: planOption,
  words: rest('-- <command...>', 'the command and its arguments, as they are'),
} as const;

export const execInSandbox = command({
  name: 'exec',
  summary: 'Run a command against its own temporary sandbox, for tests and CI',
  details: `The command finds the address, a key and the webhook secret of the sandbox in BIZMSG_BASE_URL,
    BIZMSG_API_KEY and BIZMSG_WEBHOOK_SECRET. This bizmsg is in PATH; there, --profile local is that sandbox. The exit
    code is that of the command. When it ends, the sandbox is stopped and, without a terminal, so are its background
    processes.`,
  params,
  examples: ['sandbox exec bizmsg contacts list', 'sandbox exec --plan starter npm test'],
  accepts: [],
  run: async (context, { words, webhook, plan }) => {
    const url = webhook === undefined ? undefined : localUrl(webhook);
    // Its own state, so that nothing of this user mixes with that of the command.
    const folder = mkdtempSync(join(tmpdir(), 'bizmsg-'));
    try {
      return { code: await run(context, folder, { words, plan, url }) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  view: () => '',
  exit: ({ code }) => code,
});

/** Serves a sandbox with the state folder while the command runs. */
async function run(
  context: Context,
  stateFolder: string,
  { words, plan, url }: Pick<Input<typeof params>, 'words' | 'plan'> & { readonly url: URL | undefined },
): Promise<number> {
  const [{ createSandbox }, { serve }, { runCommand }] = await Promise.all([
    import('../../sandbox/sandbox.ts'),
    import('../../sandbox/serve.ts'),
    import('../child.ts'),
  ]);
  const { host, given } = context;
  const note = (text: string) => context.note('sandbox', text);
  const { sandbox, locator, ending, close } = await serve({
    sandbox: (file) => createSandbox({ plan, warn: note, file }),
    stateFolder,
    data: defaultData(stateFolder),
    port: 0,
    idle: Infinity,
    background: false,
    build: __BUILD__,
    host,
    warn: note,
  });
  const { url: address, keys } = locator;
  if (given.debug) note(`the sandbox of this command is ${address}`);
  void ending.then(() => {
    note(`the sandbox of this command was stopped: ${address}`);
    return close();
  });
  const over = new AbortController();
  const registering = url && registerWebhook(context, sandbox, url, over.signal);
  const secret = sandbox.secret();
  const called = { BIZMSG_BASE_URL: address, BIZMSG_API_KEY: keys.sandbox, BIZMSG_WEBHOOK_SECRET: secret };
  const variables = { ...called, BIZMSG_LOCAL_ONLY: '1', BIZMSG_STATE_DIR: stateFolder };
  try {
    return await runCommand(host, { command: words, stateFolder, variables });
  } finally {
    over.abort();
    await close();
    await registering;
  }
}

function localUrl(text: string): URL {
  const url = forwardUrl(text);
  if (isThisMachine(url.hostname)) return url;
  throw usage(`--webhook: ${url.hostname} is not this machine`, 'use an address such as 3000/hooks');
}

/** Registers the webhook once its port answers: a failed delivery would be retried only after 5 s. */
async function registerWebhook(
  { host, note }: Context,
  { webhooks }: Sandbox,
  url: URL,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    if (await answers(url)) return void webhooks.add({ url: url.href, catchUp: true });
    await sleep(100, host.later, over);
  }
  note('webhook', `no server listened at ${url.host}, so it got no events`);
}

async function answers({ hostname, port, protocol }: URL): Promise<boolean> {
  // Names below localhost are this machine, even if the resolver does not know them.
  const host = hostname.replace(/^\[|\]$/g, '').replace(/^.+\.(?=localhost\.?$)/, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
    socket.on('error', () => resolve(false)).on('connect', () => resolve(socket.destroy().destroyed));
  });
}
