import { platform } from 'node:os';
import { command, type Context } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { flag, option } from '../../cli/params.ts';
import { address, pageLink, runningAt } from './status.ts';

export const openPage = command({
  name: 'open',
  summary: 'Open the sandbox in a browser: phones, messages, events and deliveries',
  details: [
    'Prints the link of the page, and on a terminal also opens it. The link contains the token of the sandbox, so',
    'only share it with people who may control this sandbox. Without --url it starts the sandbox of --profile local',
    'if it is not running.',
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
    const link = pageLink(await sandboxes.proven(locator));
    if (!print && context.showsLines && context.session.host.stdout.isTTY) openInBrowser(context, link);
    return { url: link };
  },
  view: ({ url }) => url,
});

function openInBrowser({ session: { host } }: Context, link: string): void {
  const { env } = host;
  const hasDisplay = Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? env['BROWSER']);
  const opener = platform() === 'darwin' ? 'open' : hasDisplay ? 'xdg-open' : undefined;
  if (opener !== undefined) host.spawnDetached([opener, link], { env, log: '/dev/null' }).unref();
}
