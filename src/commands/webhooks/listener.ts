import { usage } from '../../base/errors.ts';
import { type Context, newcomerNote } from '../../cli/command.ts';
import { flag, type Input, option, repeated, count } from '../../cli/params.ts';
import type { Filter } from '../../webhooks/event/filters.ts';
import type { Routes } from '../../webhooks/forward/routes.ts';
import type { Item } from '../../webhooks/items.ts';
import type { Listening, ListeningOptions } from '../../webhooks/listen.ts';
import { requireMeant } from './confirm-outside.ts';
import { openReadyFile } from './ready-file.ts';
import { type Link, linkSandbox } from './sandbox-subscription.ts';
import { type Sender, senderOf } from './sender.ts';
import { givenSecret, secretParams, storedSecret } from './secrets.ts';
import { wentWell } from './selection.ts';

export interface Ready {
  readonly type: 'ready';
  readonly url: string;
  readonly port: number;
  /** The sandbox whose events come here. */
  readonly sandbox: string | null;
}

interface Listener {
  readonly ready: Ready;
  /** They end some time after the user wants it. */
  items(): AsyncGenerator<readonly Item[], void>;
  close(): Promise<void>;
}

const silence = 60_000;

/** Receives, and has whoever sends events send them here. */
export async function openListener(context: Context, input: ListenInput): Promise<Listener> {
  const options = await receptionOf(context, input);
  const given = await givenSecret(context, input);
  const source = await sourceOf(context, input);
  const stored = source.kind === 'sandbox' ? undefined : (given ?? (await storedSecret(context)));
  /** The one in use first. */
  let secrets = stored === undefined ? [] : [stored];
  const know = (secret: string) => (secrets = [secret, ...secrets.filter((one) => one !== secret)]);
  let link: Link | undefined;
  const { openListening } = await import('../../webhooks/listen.ts');
  const readyFile = input.readyFile === undefined ? undefined : openReadyFile(input.readyFile, options);
  const listening = await openListening({ ...options, secrets: () => secrets });
  const url = reachable(listening, input);
  try {
    if (source.kind === 'sandbox') {
      link = await linkSandbox(context, source.locator, { url, secret: given, catchUp: input.catchUp, know });
    }
    sayWhereFrom(context, source, url);
    await sayWhoReaches(context, listening);
    const ready = readyOf(listening, source, input);
    readyFile?.write(ready);
    return { ready, items: () => untilEnd(context, listening, { source, link, url }), close };
  } catch (error) {
    await close();
    throw error;
  }

  async function close(): Promise<void> {
    readyFile?.remove();
    await link?.close();
    await listening.close();
  }
}

async function sourceOf(context: Context, { catchUp }: ListenInput): Promise<Sender> {
  const source = await senderOf(context);
  if (source.kind === 'sandbox' && source.isDefault) context.note('newcomer', newcomerNote);
  if (!catchUp || source.kind === 'sandbox') return source;
  throw usage('--catch-up is about what a sandbox has kept', 'these events are those of none: leave it out');
}

interface Surroundings {
  readonly source: Sender;
  readonly link: Link | undefined;
  readonly url: string;
}

/** The sandbox is told first, so that it sends nothing to who does not listen any more. */
async function* untilEnd(
  context: Context,
  listening: Listening,
  around: Surroundings,
): AsyncGenerator<readonly Item[], void> {
  const { source, link, url } = around;
  const {
    process: { later },
  } = await context.sandboxes();
  const text = source.kind === 'account' ? accountText(source.name, url) : undefined;
  const hush =
    text === undefined ? () => {} : later(silence, () => context.note('silence', `nothing came yet: ${text}`));
  const end = async () => {
    hush();
    await link?.close();
    const unsent = await listening.stop();
    if (unsent > 0)
      context.note(
        'unsent',
        `events that were not forwarded any more: ${unsent}; bizmsg webhooks replay --failed sends them`,
      );
  };
  void listening.first.then(hush);
  const ended = interruption(context.signal).then(end);
  try {
    yield* withAdvice(context, listening.items());
    await ended;
  } finally {
    hush();
  }
}

/** Prints after the first failed forward how to send it again. */
async function* withAdvice(
  context: Context,
  batches: AsyncGenerator<readonly Item[], void>,
): AsyncGenerator<readonly Item[], void> {
  let isGiven = false;
  for await (const items of batches) {
    yield items;
    if (isGiven || !items.some(hasFailed)) continue;
    isGiven = true;
    context.note('replay', 'bizmsg webhooks replay --failed sends it again');
  }
}

function hasFailed(item: Item): boolean {
  return item.type === 'forwarded' && item.retry_in === undefined && !wentWell(item);
}

function interruption(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function sayWhoReaches(context: Context, { url, port }: Listening): Promise<void> {
  const { isHere } = await import('../../webhooks/forward/routes.ts');
  const { hostname } = new URL(url);
  if (isHere(new URL(url))) return;
  context.note('open', `it listens on ${hostname}:${port}, so whoever reaches this machine can send events to it`);
}

function readyOf({ url, port }: Listening, source: Sender, { path }: ListenInput): Ready {
  return {
    type: 'ready',
    url: path === undefined ? url.replace(/\/$/, '') : url,
    port,
    sandbox: source.kind === 'sandbox' ? source.locator.url : null,
  };
}

/** What listens on every address is reached on this one. */
function reachable({ url, port }: Listening, { host, path = '' }: ListenInput): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}${path}`;
  return path === '' ? url.replace(/\/$/, '') : url;
}

const usualPort = 4781;

/** How events are received; what is wrong with the command line is said before anything begins. */
async function receptionOf(context: Context, given: ListenInput): Promise<Omit<ListeningOptions, 'secrets'>> {
  checkForm(context);
  const { port = usualPort, host, path, respond, allowWebPages } = given;
  const { stateFolder, process } = await context.sandboxes();
  const addresses = await ownAddresses();
  return {
    ...process,
    stateFolder,
    port,
    host,
    path,
    status: respond,
    allowWebPages,
    warn: (text) => context.note('webhooks', text),
    filter: await filterOf(given),
    forward: { routes: await routesIn(context, given, { port, addresses }), retry: given.retry },
    addresses,
  };
}

/** Rows of events and of what came of them have no columns in common. */
function checkForm({ given: { output, json } }: Context): void {
  if (!json && [undefined, 'ndjson', 'table'].includes(output)) return;
  throw usage(`webhooks listen cannot print ${output ?? 'json'}, as it goes on`, 'use -o ndjson');
}

async function filterOf({ events, where }: ListenInput): Promise<Filter> {
  const { byField, byName, passing } = await import('../../webhooks/event/filters.ts');
  return passing([...(events === undefined ? [] : [byName(events)]), ...where.map(byField)]);
}

async function routesIn(
  context: Context,
  given: ListenInput,
  { port, addresses }: { readonly port: number; readonly addresses: readonly string[] },
): Promise<Routes> {
  const { forwardTo, route, retry } = given;
  const [{ isHere, routesOf }, { refuseItself }] = await Promise.all([
    import('../../webhooks/forward/routes.ts'),
    import('../../webhooks/forward/routes.ts'),
  ]);
  const routes = routesOf(route, forwardTo);
  await refuseIdle(given);
  if (retry && routes.all.length === 0) throw usage('--retry needs --forward-to or --route', 'nothing is forwarded');
  refuseItself(routes, port, addresses);
  await requireMeant(context, routes.all, () => 'Forward events');
  for (const { host } of routes.all.filter((url) => !isHere(url)))
    context.note('forward-outside', `events are forwarded to ${host}, which is not this machine`);
  return routes;
}

/** A route that nothing can take is a mistake in it, or in --events. */
async function refuseIdle({ events, route }: ListenInput): Promise<void> {
  if (events === undefined) return;
  const { idleWords } = await import('../../webhooks/event/filters.ts');
  const [idle] = route.flatMap((one) => idleWords(one.slice(0, one.indexOf('=')), events));
  if (idle !== undefined) throw usage(`--route has ${idle}, which --events leaves out`, 'add it to --events');
}

async function ownAddresses(): Promise<readonly string[]> {
  const { networkInterfaces } = await import('node:os');
  return Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));
}

/** Whether anything will come is not to be guessed. */
function sayWhereFrom(context: Context, source: Sender, url: string): void {
  if (source.kind === 'account') context.note('account', accountText(source.name, url));
  if (source.kind === 'unknown')
    context.note(
      'plain',
      `no profile says whose events these are, so this takes what is sent to ${url}; --profile local takes the sandbox's`,
    );
}

function accountText(name: string, url: string): string {
  return [
    `events of the account ${name} come only through a public address that leads to ${url}`,
    'and is registered in the account: the API has no endpoint for that',
  ].join(' ');
}

export const listenParams = {
  port: option('--port <port>', 'the port; 0 takes any free one (4781)', port),
  host: option('--host <host>', 'the address to listen on (127.0.0.1 and ::1)'),
  path: option('--path <path>', 'take events at this path only (any path)', path),
  events: option('--events <names>', 'only these events, comma-separated; message means its family'),
  where: repeated('--where <path=value>', 'only events whose body has this value there, such as data.to=+12025550101'),
  full: flag('--full', 'show the body of each event too'),
  forwardTo: option('--forward-to <address>', 'forward events, as they came, to 3000, localhost:3000/hook or a URL'),
  route: repeated('--route <event=address>', 'forward these events elsewhere: order.paid=localhost:3000/paid'),
  retry: flag('--retry', 'forward again, up to 5 times, what a handler failed to take'),
  respond: option('--respond <status>', 'the status that events are answered with (200)', status),
  allowWebPages: flag('--allow-web-pages', 'also take events that a web page in a browser sends'),
  catchUp: flag('--catch-up', 'also receive events that arrived while no listener was running'),
  readyFile: option('--ready-file <file>', 'write this file as soon as it is ready, and remove it at the end'),
  ...secretParams,
} as const;

function port(text: string): number {
  const number = count(text);
  if (number <= 65_535) return number;
  throw usage(`"${text}" is not a port`, 'ports go up to 65535, and 0 takes any that is free');
}

function path(text: string): string {
  if (/^\/[^\s?#]*$/.test(text)) return text;
  throw usage(`"${text}" is not a path`, 'it begins with /, such as /hooks');
}

function status(text: string): number {
  const number = count(text);
  if (number >= 200 && number <= 599) return number;
  throw usage(`"${text}" is not a status to answer with`, 'use 200 to 599');
}

type ListenInput = Input<typeof listenParams>;
