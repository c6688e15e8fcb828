import { rmSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { configuration, usage } from '../../base/errors.ts';
import { posixQuote } from '../../base/posix-quote.ts';
import { powerShellQuote } from '../../base/shell-quote.ts';
import { opener, usualShell } from '../../base/system.ts';
import { command, type Context } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { choice, flag, option } from '../../cli/params.ts';
import { pagePath } from '../../sandbox/control/paths.ts';
import { type Locator, redirectFile } from '../../sandbox/remote/locator.ts';
import type { Sandboxes } from '../../session/sandboxes.ts';
import { remoteOf } from './control.ts';

export const sandboxStatus = command({
  name: 'status',
  summary: 'Show the sandboxes that run on this machine',
  details: 'Queued: events that no webhook was registered for. Waiting: deliveries still to be attempted or retried.',
  params: {},
  examples: ['sandbox status', 'sandbox status -o json'],
  sample:
    'url\tpid\tplan\tuptime_s\t…\tmessages\tevents\tqueued\twaiting\tdata\tpage\nhttp://127.0.0.1:4780\t29083\tenterprise\t1\t…\t1\t2\t0\t0\t…\t…',
  accepts: printOptions,
  piped: 'rows',
  first: ['url', 'pid', 'plan', 'uptime_s', 'messages', 'events', 'waiting'],
  run: async (context) => {
    const sandboxes = await context.sandboxes();
    const isTerminal = context.showsLines && context.host.stdout.isTTY;
    return Promise.all(
      sandboxes.visible().map(async (locator) => {
        const remote = await remoteOf(context, locator);
        const { url, pid, plan, uptime_ms, counts, faults, data } = await remote.ask('status');
        const uptime_s = Math.round(uptime_ms / 1_000);
        // The column appears only if there are faults, as a reminder.
        const row = { url, pid, plan: plan.name, uptime_s, ...counts, ...(faults > 0 && { faults }), data };
        const page = pageLink(locator);
        // The table has no room for it.
        if (isTerminal) context.note('page', `to see ${url} in a browser: ${page}`);
        return isTerminal ? row : { ...row, page };
      }),
    );
  },
  view: () => 'No sandbox is running; --profile local starts one on demand',
});

export const stopSandbox = command({
  name: 'stop',
  summary: 'Stop the sandboxes that run on this machine',
  params: {},
  examples: ['sandbox stop'],
  sample: 'Stopped http://127.0.0.1:4780',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context) => {
    const sandboxes = await context.sandboxes();
    const running = sandboxes.visible();
    await Promise.all(running.map(async (locator) => (await remoteOf(context, locator)).stop()));
    return { stopped: running.map(({ url }) => url) };
  },
  view: ({ stopped }, ui) => {
    if (stopped.length === 0) return 'No sandbox was running';
    return stopped.map((url) => `${ui.color.green('Stopped')} ${url}`).join('\n');
  },
});

export const sandboxEnv = command({
  name: 'env',
  summary: 'Print environment variables for the sandbox',
  details: [
    'Use them with eval, in PowerShell with Invoke-Expression, or in an .env file. They contain a key and the webhook',
    'secret of the sandbox in full. Without --url it starts the sandbox of --profile local if it is not running.',
  ].join('\n'),
  params: {
    url: option('--url <url>', 'the address of a running sandbox (default: that of --profile local)', address),
    shell: choice('--shell <shell>', 'syntax of the output (default: powershell on Windows, otherwise sh)', [
      'sh',
      'powershell',
    ]),
  },
  examples: ['sandbox env', 'sandbox env --shell powershell', 'sandbox env -o json'],
  sample:
    'export BIZMSG_BASE_URL=http://127.0.0.1:4780\nexport BIZMSG_API_KEY=sk_test_local-…\nexport BIZMSG_WEBHOOK_SECRET=whsec_…',
  accepts: printOptions,
  piped: 'text',
  run: async (context, { url, shell = usualShell }) => {
    const sandboxes = await context.sandboxes();
    const locator = url === undefined ? await sandboxes.ensure() : runningAt(sandboxes, url);
    const { keys, secret } = await (await remoteOf(context, locator)).ask('env');
    const variables = { BIZMSG_BASE_URL: locator.url, BIZMSG_API_KEY: keys.sandbox, BIZMSG_WEBHOOK_SECRET: secret };
    return { shell, variables };
  },
  data: ({ variables }) => variables,
  view: ({ shell, variables }) =>
    Object.entries(variables)
      .map(([name, value]) =>
        shell === 'sh' ? `export ${name}=${posixQuote(value)}` : `$env:${name} = ${powerShellQuote(value)}`,
      )
      .join('\n'),
});

export const openPage = command({
  name: 'open',
  summary: 'Open the sandbox in a browser: phones, messages, events and deliveries',
  details: [
    'Prints the link of the page. On a terminal it also opens the page in the browser, on Linux if there is a display',
    'or BROWSER is set. The link contains the token of the sandbox, so only share it with people who may control this',
    'sandbox. Without --url it starts the sandbox of --profile local if it is not running.',
  ].join('\n'),
  params: {
    print: flag('--print', 'only print the link'),
    url: option('--url <url>', 'the address of a running sandbox (default: that of --profile local)', address),
  },
  examples: ['sandbox open', 'sandbox open --print', 'sandbox open -o json'],
  sample: 'http://127.0.0.1:4780/__sandbox/#t=…',
  accepts: printOptions,
  piped: 'text',
  run: async (context, { print, url }) => {
    const sandboxes = await context.sandboxes();
    const locator = url === undefined ? await sandboxes.controlled() : runningAt(sandboxes, url);
    const proven = await sandboxes.proven(locator);
    if (!print && context.showsLines && context.host.stdout.isTTY) openInBrowser(context, proven);
    return { url: pageLink(proven) };
  },
  view: ({ url }) => url,
});

/** Opens a file that leads to the page: other users can read the arguments of a process, so the link is not one. */
function openInBrowser({ host, stateFolder }: Context, locator: Locator): void {
  const { env } = host;
  const program = opener(env);
  if (program === undefined) return;
  const file = redirectFile(stateFolder(), locator.port);
  rmSync(file, { force: true });
  const refresh = `<meta http-equiv="refresh" content="0;url=${pageLink(locator)}">`;
  writeFileSync(file, `<!doctype html><title>bizmsg sandbox</title>${refresh}\n`, { mode: 0o600, flag: 'wx' });
  host.spawnDetached([program, file], { env, log: devNull }).unref();
}

/** The token is in the fragment, which browsers do not send. */
export function pageLink({ url, token }: Pick<Locator, 'url' | 'token'>): string {
  return `${url}${pagePath}#t=${token}`;
}

/** The sandbox at a URL; throws if none runs there. */
function runningAt(sandboxes: Pick<Sandboxes, 'at' | 'live'>, url: string): Locator {
  const found = sandboxes.at(url);
  if (found) return found;
  const running = sandboxes.live().map((locator) => locator.url);
  const hint = running.length > 0 ? `these run: ${running.join(', ')}` : 'bizmsg sandbox start starts one';
  throw configuration('no-sandbox', `no sandbox of this machine runs at ${url}`, hint);
}

function address(text: string): string {
  if (URL.canParse(text)) return text;
  throw usage(`"${text}" is not a URL`, 'such as http://127.0.0.1:4780');
}
