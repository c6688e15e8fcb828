import { setTimeout as sleep } from 'node:timers/promises';
import { usage } from '../../base/errors.ts';
import { command, type Context } from '../../cli/command.ts';
import { type Input, option, rest } from '../../cli/params.ts';
import type { Served } from '../../sandbox/serve.ts';
import { settings } from './settings.ts';

const params = {
  webhook: option('--webhook <url>', 'send its events there, as soon as something listens there'),
  ...settings,
  words: rest('-- <command...>', 'the command and its arguments, as they are'),
} as const;

export const execInSandbox = command({
  name: 'exec',
  summary: 'Run a command against a sandbox of its own, for tests and CI',
  details: [
    'The command gets the address, a key and the webhook secret of the sandbox in',
    'BIZMSG_BASE_URL, BIZMSG_API_KEY and BIZMSG_WEBHOOK_SECRET, and this bizmsg in',
    'PATH, to which --profile local means that sandbox. The exit code is the',
    "command's own. When it ends, so does all that it started, and the sandbox.",
  ].join('\n'),
  params,
  examples: ['sandbox exec -- bizmsg contacts list', 'sandbox exec --plan starter -- npm test'],
  sample:
    'id\tphone\tname\ttags\tattributes\tcreated_at\ncon_sandbox_1\t+12025550111\tGrace Hopper\t["customer"]\t{}\t2026-…\n…',
  accepts: [],
  piped: 'text',
  run: async (context, { words, webhook, ...given }) => {
    if (words.length === 0) throw usage('no command is given', 'write it after --: bizmsg sandbox exec -- npm test');
    if (words[0] === '') throw usage('the command is empty', 'is a variable not set?');
    const url = webhook === undefined ? undefined : await hookUrl(webhook);
    const served = await serveAlone(context, given);
    const over = new AbortController();
    const hooked = url && hook(context, served, url, over.signal);
    // It is thrown below: thrown here it would leave the command behind.
    hooked?.catch(() => {});
    try {
      return { code: await run(context, served, words) };
    } finally {
      over.abort();
      await served.close();
      await hooked;
    }
  },
  view: () => '',
  exit: ({ code }) => code,
});

async function run(context: Context, { sandbox, locator, ending, close }: Served, words: readonly string[]) {
  if (context.given.debug) context.note('sandbox', `the sandbox of this command is ${locator.url}`);
  void ending.then(() => {
    context.note('sandbox', `the sandbox of this command was stopped: ${locator.url}`);
    return close();
  });
  const [{ runCommand }, { stateFolder }] = await Promise.all([import('../../cli/child.ts'), context.sandboxes()]);
  const variables = {
    BIZMSG_BASE_URL: locator.url,
    BIZMSG_API_KEY: locator.keys.sandbox,
    BIZMSG_WEBHOOK_SECRET: sandbox.secret(),
    BIZMSG_ONLY: 'local',
  };
  return runCommand(context.session.host, { command: words, stateFolder, variables });
}

async function serveAlone(context: Context, { plan, shape, rng: seed }: Input<typeof settings>) {
  const [{ createSandbox }, { serve }, { process, stateFolder }] = await Promise.all([
    import('../../sandbox/sandbox.ts'),
    import('../../sandbox/serve.ts'),
    context.sandboxes(),
  ]);
  const warn = (text: string) => context.note('sandbox', text);
  const sandbox = () => createSandbox({ plan, shape, seed, warn });
  return serve({ ...process, sandbox, stateFolder, data: null, port: 0, idle: Infinity, background: false, warn });
}

/** What is wrong with it is said before the command runs. */
async function hookUrl(text: string): Promise<URL> {
  const [{ webhookUrl }, { Refusal }] = await Promise.all([
    import('../../sandbox/events/webhooks.ts'),
    import('../../sandbox/refusal.ts'),
  ]);
  const read = (external: boolean, say: (why: string) => string) => {
    try {
      return webhookUrl(text, external);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw usage(`--webhook: ${say(error.message)}`, 'give an address such as http://127.0.0.1:3000/hooks');
    }
  };
  read(true, (why) => why);
  return read(false, () => `${new URL(text).hostname} is not this machine, which events do not leave`);
}

/** Not before somebody answers, since what fails is repeated only after seconds; what came until then is sent too. */
async function hook(context: Context, { sandbox }: Served, url: URL, over: AbortSignal): Promise<void> {
  if (await answersIn(url, over)) sandbox.webhooks.add({ url: url.href, catchUp: true });
  else context.note('webhook', `nobody answered at ${url.host}, so no event was sent there`);
}

const poll = 100;

/** Whether somebody takes a connection there before it is called off. */
async function answersIn(url: URL, over: AbortSignal): Promise<boolean> {
  while (!over.aborted) {
    if (await answers(url, over)) return true;
    await sleep(poll, undefined, { signal: over }).catch(() => {});
  }
  return false;
}

async function answers({ hostname, port, protocol }: URL, signal: AbortSignal): Promise<boolean> {
  const { connect } = await import('node:net');
  // A name below localhost is this machine, also where no name server knows it.
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
