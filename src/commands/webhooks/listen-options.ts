import { usage } from '../../base/errors.ts';
import type { Context } from '../../cli/command.ts';
import { count, flag, type Input, option, port, repeated } from '../../cli/params.ts';
import type { Filter } from '../../webhooks/event/filters.ts';
import type { Routes } from '../../webhooks/forward/routes.ts';
import type { ListeningOptions } from '../../webhooks/listen.ts';
import { confirmOutside } from './confirm-outside.ts';
import { secretParams } from './secrets.ts';
import { eventsText, whereText } from './selection.ts';

export const listenParams = {
  port: option('--port <port>', 'the port, or 0 for any free one (default: 4781, or the next free one)', port),
  host: option('--host <host>', 'the address to listen on (default: 127.0.0.1 and ::1)'),
  path: option('--path <path>', 'accept events only at this path (default: any path)', path),
  events: option('--events <names>', eventsText),
  where: repeated('--where <path=value>', whereText),
  full: flag('--full', 'show the body of each event too'),
  forwardTo: option('--forward-to <address>', 'forward events unchanged to 3000, localhost:3000/hook or a URL'),
  route: repeated('--route <event=address>', 'forward these events elsewhere: order.paid=localhost:3000/paid'),
  retry: flag('--retry', 'retry failed forwards up to 5 times'),
  respond: option('--respond <status>', 'answer events with this status (default: 200)', status),
  allowWebPages: flag('--allow-web-pages', 'also accept events from web pages in a browser'),
  catchUp: flag('--catch-up', 'also receive earlier events that no webhook has received'),
  readyFile: option('--ready-file <file>', 'write this file when ready, and delete it at the end'),
  ...secretParams,
} as const;

export type ListenInput = Input<typeof listenParams>;

const defaultPort = 4781;

/** Checks the options and asks before forwarding to other machines. Nothing has started yet. */
export async function listenOptions(context: Context, input: ListenInput): Promise<Omit<ListeningOptions, 'secrets'>> {
  checkOutput(context);
  const { host, path, respond, allowWebPages } = input;
  const port = input.port ?? (await freePort(context, host));
  const { stateFolder, thisProcess } = await context.sandboxes();
  const addresses = await ownAddresses();
  return {
    ...thisProcess,
    stateFolder,
    port,
    host,
    path,
    status: respond,
    allowWebPages,
    warn: (text) => context.note('webhooks', text),
    filter: await filterOf(input),
    forward: { routes: await checkedRoutes(context, input, { port, addresses }), retry: input.retry },
    addresses,
  };
}

/** The default port, or the next one that is free. */
async function freePort(context: Context, host: string | undefined): Promise<number> {
  for (let port = defaultPort; port < defaultPort + most; port++) {
    if (!(await isFree(port, host === undefined ? ['127.0.0.1', '::1'] : [host]))) continue;
    if (port !== defaultPort) context.note('port', `port ${defaultPort} is in use, so this listener has ${port}`);
    return port;
  }
  return defaultPort;
}

/** Ports that are tried. */
const most = 20;

async function isFree(port: number, addresses: readonly string[]): Promise<boolean> {
  const [{ createServer }, { listen }] = await Promise.all([import('node:http'), import('../../base/http-server.ts')]);
  for (const address of addresses) {
    const server = createServer();
    const failure = await listen(server, address, port);
    if (failure?.code === 'EADDRINUSE') return false;
    if (!failure) await new Promise((closed) => server.close(closed));
  }
  return true;
}

/** Events and forwarding attempts have no common columns. */
function checkOutput({ given: { output, json } }: Context): void {
  if (!json && [undefined, 'ndjson', 'table'].includes(output)) return;
  throw usage(`webhooks listen cannot print ${output ?? 'json'}: it prints as events arrive`, 'use -o ndjson');
}

async function filterOf({ events, where }: ListenInput): Promise<Filter> {
  const { selectedBy } = await import('../../webhooks/event/filters.ts');
  return selectedBy(events, where);
}

async function checkedRoutes(
  context: Context,
  input: ListenInput,
  { port, addresses }: { readonly port: number; readonly addresses: readonly string[] },
): Promise<Routes> {
  const { forwardTo, route, retry } = input;
  const { isHere, refuseItself, routesOf } = await import('../../webhooks/forward/routes.ts');
  const routes = routesOf(route, forwardTo);
  await refuseUnusedRoutes(input);
  if (retry && routes.all.length === 0) throw usage('--retry needs --forward-to or --route', 'nothing is forwarded');
  refuseItself(routes, port, addresses);
  await confirmOutside(context, routes.all, () => 'Forward events');
  for (const { host } of routes.all.filter((url) => !isHere(url)))
    context.note('forward-outside', `events are forwarded to ${host}, which is not this machine`);
  return routes;
}

/** A route that --events excludes is a mistake in one of them. */
async function refuseUnusedRoutes({ events, route }: ListenInput): Promise<void> {
  if (events === undefined) return;
  const { unmatchedNames } = await import('../../webhooks/event/filters.ts');
  const [unused] = route.flatMap((one) => unmatchedNames(one.slice(0, one.indexOf('=')), events));
  if (unused !== undefined) throw usage(`--route has ${unused}, but --events excludes it`, 'add it to --events');
}

async function ownAddresses(): Promise<readonly string[]> {
  const { networkInterfaces } = await import('node:os');
  return Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));
}

function path(text: string): string {
  if (/^\/[^\s?#]*$/.test(text)) return text;
  throw usage(`"${text}" is not a path`, 'it must begin with /, such as /hooks');
}

function status(text: string): number {
  const number = count(text);
  if (number >= 200 && number <= 599) return number;
  throw usage(`"${text}" is not a status to answer with`, 'use 200 to 599');
}
