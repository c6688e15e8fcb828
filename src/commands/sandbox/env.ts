import { rmSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { configuration, usage } from '../../base/errors.ts';
import { posixQuote } from '../../base/posix-quote.ts';
import { powerShellQuote } from '../../base/shell-quote.ts';
import { isWindows, opener } from '../../base/system.ts';
import { command, type Context } from '../../cli/command.ts';
import { choice, flag, option } from '../../cli/params.ts';
import { pagePath } from '../../sandbox/exchange.ts';
import { type Locator, redirectFile } from '../../sandbox/remote/locator.ts';
import type { RunningSandbox } from '../../sandbox/remote/running.ts';
import { remoteOf } from './control.ts';

const urlParam = option('--url <url>', 'the address of a running sandbox (default: that of --profile local)', address);

export const sandboxEnv = command({
  name: 'env',
  summary: 'Print environment variables for the sandbox',
  details: `Use them with eval, in PowerShell with Invoke-Expression, or in an .env file. They contain a key and the
    webhook secret of the sandbox in full. Without --url it starts the sandbox of --profile local if it is not
    running.`,
  params: {
    url: urlParam,
    shell: choice('--shell <shell>', 'syntax of the output (default: powershell on Windows, otherwise sh)', [
      'sh',
      'powershell',
    ]),
  },
  examples: ['sandbox env', 'sandbox env --shell powershell', 'sandbox env -o json'],
  run: async (context, { url, shell = isWindows ? 'powershell' : 'sh' }) => {
    const running = url === undefined ? await (await context.sandboxes()).ensure() : await runningAt(context, url);
    const { keys, secret } = await (await remoteOf(running)).ask('env');
    const variables = { BIZMSG_BASE_URL: running.url, BIZMSG_API_KEY: keys.sandbox, BIZMSG_WEBHOOK_SECRET: secret };
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
  details: `Prints the link of the page. On a terminal it also opens the page in the browser, on Linux if there is a
    display or BROWSER is set. The link contains the token of the sandbox, so only share it with people who may
    control this sandbox. Without --url it starts the sandbox of --profile local if it is not running.`,
  params: { print: flag('--print', 'only print the link'), url: urlParam },
  examples: ['sandbox open', 'sandbox open --print', 'sandbox open -o json'],
  run: async (context, { print, url }) => {
    const running = url === undefined ? await (await context.sandboxes()).controlled() : await runningAt(context, url);
    if (!print && context.showsLines && context.host.stdout.isTTY) openInBrowser(context, running);
    return { url: pageLink(running) };
  },
  view: ({ url }) => url,
});

/** Opens a file that leads to the page: other users can read the arguments of a process, so the link is not one. */
function openInBrowser({ host: { env, spawnDetached }, stateFolder }: Context, running: Locator): void {
  const program = opener(env);
  if (program === undefined) return;
  const file = redirectFile(stateFolder(), running.port);
  rmSync(file, { force: true });
  const refresh = `<meta http-equiv="refresh" content="0;url=${pageLink(running)}">`;
  writeFileSync(file, `<!doctype html><title>bizmsg sandbox</title>${refresh}\n`, { mode: 0o600, flag: 'wx' });
  spawnDetached([program, file], { env, log: devNull }).unref();
}

/** The token is in the fragment, which browsers do not send. */
export function pageLink({ url, token }: Pick<Locator, 'url' | 'token'>): string {
  return `${url}${pagePath}#t=${token}`;
}

/** The sandbox at a URL; throws if none runs there. */
async function runningAt(context: Context, url: string): Promise<RunningSandbox> {
  const running = await (await context.sandboxes()).at(url);
  if (running) return running;
  const hint = 'bizmsg sandbox status shows those that run';
  throw configuration('no-sandbox', `no sandbox of this machine runs at ${url}`, hint);
}

function address(text: string): string {
  if (URL.canParse(text)) return text;
  throw usage(`"${text}" is not a URL`, 'such as http://127.0.0.1:4780');
}
