import { forOption, usage } from '../../base/errors.ts';
import { untilAborted } from '../../base/sleep.ts';
import type { Context } from '../../cli/command.ts';
import { flag, type Input, option, port, repeated } from '../../cli/params.ts';
import { isDelivered } from '../../contract/events.ts';
import { currentCaller, newcomerNote } from '../../session/caller.ts';
import type { Filter } from '../../webhooks/event/filters.ts';
import type { ForwardedItem, Item } from '../../webhooks/items.ts';
import type { Listening, ListeningOptions } from '../../webhooks/listen.ts';
import { confirmOutside } from './confirm-outside.ts';
import { type Sender, senderOf, type Subscription, subscribe } from './sender.ts';
import { givenSecret, secretParams, storedSecret } from './secrets.ts';
import { eventsText, whereText } from './selection.ts';

export const listenParams = {
  port: option('--port <port>', 'the port, or 0 for any free one (default: 4781, or the next free one)', port),
  host: option('--host <host>', 'the address to listen on (default: 127.0.0.1 and ::1)'),
  path: option('--path <path>', 'accept events only at this path (default: any path)', path),
  events: option('--events <names>', eventsText),
  where: repeated('--where <path=value>', whereText),
  full: flag('--full', 'show the body of each event too'),
  forwardTo: option('--forward-to <address>', 'forward events unchanged to 3000, localhost:3000/hook or a URL'),
  retry: flag('--retry', 'retry failed forwards up to 5 times'),
  catchUp: flag('--catch-up', 'also receive earlier events that no webhook has received'),
  optOuts: flag('--opt-outs', 'add people who reply STOP to the opt-outs of the account'),
  ...secretParams,
} as const;

type ListenInput = Input<typeof listenParams>;

export interface Ready {
  readonly type: 'ready';
  readonly url: string;
  readonly port: number;
  /** The sandbox that sends the events. */
  readonly sandbox: string | null;
  /** Which replies opt out, if the list is kept. */
  readonly opt_outs: 'signed' | 'all' | null;
}

interface Listener {
  readonly ready: Ready;
  /** Ends after the context's signal, once everything is shown. */
  items(): AsyncGenerator<readonly Item[], void>;
  close(): Promise<void>;
}

/** Starts a listener; if the sandbox is called, subscribes it to the sandbox's events. */
export async function openListener(context: Context, input: ListenInput): Promise<Listener> {
  const options = await listenOptions(context, input);
  const given = await givenSecret(context, input);
  const sender = await senderFor(context, input);
  const stored = sender.kind === 'sandbox' ? undefined : (given ?? (await storedSecret(context)));
  /** The current secret first. */
  let secrets = stored === undefined ? [] : [stored];
  const addSecret = (secret: string) => (secrets = [secret, ...secrets.filter((one) => one !== secret)]);
  let subscription: Subscription | undefined;
  const [{ openListening }, { usualPort }] = await Promise.all([
    import('../../webhooks/listen.ts'),
    import('../../webhooks/receive/server.ts'),
  ]);
  const optOuts = await openOptOuts(context, input, () => secrets);
  const listening = await openListening({ ...options, onReply: optOuts?.keep, secrets: () => secrets });
  const url = deliveryUrl(listening, input);
  try {
    if (sender.kind === 'sandbox') {
      const { catchUp } = input;
      subscription = await subscribe(context, sender.locator, { url, secret: given, catchUp, addSecret });
    }
    if (input.port === undefined && listening.port !== usualPort)
      context.note('port', `port ${usualPort} is in use, so this listener has ${listening.port}`);
    noteSender(context, sender, url);
    await warnIfExposed(context, listening);
    const ready = readyOf(listening, sender, { ...input, isSigned: secrets.length > 0 });
    const items = () => itemsUntilEnd(context, listening, { sender, subscription, url });
    return { ready, items, close };
  } catch (error) {
    await close();
    throw error;
  }

  async function close(): Promise<void> {
    await subscription?.close();
    await listening.close();
    await optOuts?.close();
  }
}

/** Keeps the list of people who opted out, if that is wanted. */
async function openOptOuts(context: Context, { optOuts }: ListenInput, secrets: () => readonly string[]) {
  if (!optOuts) return undefined;
  const caller = currentCaller(context);
  const [{ keepOptOuts }, { openOwnRecord }] = await Promise.all([
    import('../../webhooks/opt-outs.ts'),
    import('../../session/record.ts'),
  ]);
  const words = caller.kind === 'service' ? (caller.optOutWords?.split(',') ?? []) : [];
  const note = (text: string) => context.note('opt-out', text);
  const { database, account, close } = await openOwnRecord(context, 'write');
  return { keep: keepOptOuts({ host: context.host, database, account, words, secrets, note }), close };
}

async function senderFor(context: Context, { catchUp }: ListenInput): Promise<Sender> {
  const sender = await senderOf(context);
  if (sender.kind === 'sandbox' && sender.isDefault) context.note('newcomer', newcomerNote);
  if (!catchUp || sender.kind === 'sandbox') return sender;
  throw usage('--catch-up needs the sandbox', 'leave it out, or add --profile local');
}

/** Where the sender reaches a listener; one that listens on all addresses is reached on 127.0.0.1. */
function deliveryUrl({ url, port }: Listening, { host, path = '' }: ListenInput): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}${path}`;
  return path === '' ? url.replace(/\/$/, '') : url;
}

function noteSender(context: Context, sender: Sender, url: string): void {
  if (sender.kind === 'account') context.note('account', accountText(sender.name, url));
  if (sender.kind === 'unknown')
    context.note(
      'plain',
      `no profile is set, so any events sent to ${url} are accepted; --profile local receives those of the sandbox`,
    );
}

function accountText(name: string, url: string): string {
  return [
    `events of the account ${name} arrive only through a public address that leads to ${url}`,
    'and is registered in the account settings (the API has no endpoint for that)',
  ].join(' ');
}

async function warnIfExposed(context: Context, { url, port }: Listening): Promise<void> {
  const { isThisMachine } = await import('../../delivery/target.ts');
  const { hostname } = new URL(url);
  if (isThisMachine(hostname)) return;
  context.note('open', `listening on ${hostname}:${port}: anyone who can reach this machine can send events to it`);
}

function readyOf(
  { url, port }: Listening,
  sender: Sender,
  { path, optOuts, isSigned }: Pick<ListenInput, 'path' | 'optOuts'> & { readonly isSigned: boolean },
): Ready {
  return {
    type: 'ready',
    url: path === undefined ? url.replace(/\/$/, '') : url,
    port,
    sandbox: sender.kind === 'sandbox' ? sender.locator.url : null,
    opt_outs: !optOuts ? null : isSigned ? 'signed' : 'all',
  };
}

interface EndOptions {
  readonly sender: Sender;
  readonly subscription: Subscription | undefined;
  readonly url: string;
}

/** Milliseconds without any event until a note about public addresses. */
const silence = 60_000;

/** Yields items until the signal. The subscription ends first, so that the sandbox does not send to a closed port. */
async function* itemsUntilEnd(
  context: Context,
  listening: Listening,
  { sender, subscription, url }: EndOptions,
): AsyncGenerator<readonly Item[], void> {
  const { later } = context.host;
  const text = sender.kind === 'account' ? accountText(sender.name, url) : undefined;
  const cancelNote =
    text === undefined ? () => {} : later(silence, () => context.note('silence', `no events yet: ${text}`));
  const end = async () => {
    cancelNote();
    await subscription?.close();
    const unsent = await listening.stop();
    if (unsent > 0)
      context.note('unsent', `events not forwarded: ${unsent}; send them with bizmsg webhooks replay --failed`);
  };
  void listening.first.then(cancelNote);
  const ended = untilAborted(context.host.signal).then(end);
  try {
    for await (const items of withAdvice(context, listening.items())) {
      subscription?.report(items);
      yield items;
    }
    await ended;
  } finally {
    cancelNote();
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
    const failed = isGiven ? undefined : items.find(hasFailed);
    if (!failed) continue;
    isGiven = true;
    const all = '--failed sends all whose last forward failed';
    context.note('replay', `bizmsg webhooks replay ${failed.event} sends it again; ${all}`);
  }
}

function hasFailed(item: Item): item is ForwardedItem {
  return item.type === 'forwarded' && item.retry_in === undefined && !isDelivered(item);
}

/** Checks the options and asks before forwarding to other machines. Nothing has started yet. */
async function listenOptions(context: Context, input: ListenInput): Promise<Omit<ListeningOptions, 'secrets'>> {
  checkOutput(context);
  const { port, host, path } = input;
  const stateFolder = context.stateFolder();
  return {
    machine: context.host,
    stateFolder,
    port,
    host,
    path,
    warn: (text) => context.note('webhooks', text),
    filter: await filterOf(input),
    forwardTo: await checkedAddress(context, input),
    retry: input.retry,
    addresses: await ownAddresses(),
  };
}

/** Events and forwarding attempts have no common columns. */
function checkOutput({ given: { output } }: Context): void {
  if ([undefined, 'ndjson', 'table'].includes(output)) return;
  throw usage(`webhooks listen cannot print ${output}: it prints as events arrive`, 'use -o ndjson');
}

async function filterOf({ events, where }: ListenInput): Promise<Filter> {
  const { selectedBy } = await import('../../webhooks/event/filters.ts');
  return selectedBy(events, where);
}

async function checkedAddress(context: Context, { forwardTo, retry }: ListenInput): Promise<URL | undefined> {
  if (retry && forwardTo === undefined) throw usage('--retry needs --forward-to', 'nothing is forwarded');
  if (forwardTo === undefined) return undefined;
  const [{ forwardUrl }, { isThisMachine }] = await Promise.all([
    import('../../webhooks/forward/address.ts'),
    import('../../delivery/target.ts'),
  ]);
  const url = forOption('--forward-to', () => forwardUrl(forwardTo));
  await confirmOutside(context, [url], () => 'Forward events');
  if (!isThisMachine(url.hostname))
    context.note('forward-outside', `events are forwarded to ${url.host}, which is not this machine`);
  return url;
}

async function ownAddresses(): Promise<readonly string[]> {
  const { networkInterfaces } = await import('node:os');
  return Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));
}

function path(text: string): string {
  if (/^\/[^\s?#]*$/.test(text)) return text;
  throw usage(`"${text}" is not a path`, 'it must begin with /, such as /hooks');
}
