import { usage } from '../../base/errors.ts';
import { untilAborted } from '../../base/sleep.ts';
import type { Context } from '../../cli/command.ts';
import { newcomerNote } from '../../session/profiles/resolve.ts';
import type { ForwardedItem, Item } from '../../webhooks/items.ts';
import type { Listening } from '../../webhooks/listen.ts';
import { type ListenInput, listenOptions } from './listen-options.ts';
import { openReadyFile } from './ready-file.ts';
import { type Subscription, subscribe } from './sandbox-subscription.ts';
import { type Sender, senderOf } from './sender.ts';
import { givenSecret, storedSecret } from './secrets.ts';
import { succeeded } from './selection.ts';

export interface Ready {
  readonly type: 'ready';
  readonly url: string;
  readonly port: number;
  /** The sandbox that sends the events. */
  readonly sandbox: string | null;
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
  const { openListening } = await import('../../webhooks/listen.ts');
  const readyFile = input.readyFile === undefined ? undefined : openReadyFile(input.readyFile, options);
  const listening = await openListening({ ...options, secrets: () => secrets });
  const url = deliveryUrl(listening, input);
  try {
    if (sender.kind === 'sandbox') {
      const { catchUp } = input;
      subscription = await subscribe(context, sender.locator, { url, secret: given, catchUp, addSecret });
    }
    noteSender(context, sender, url);
    await warnIfExposed(context, listening);
    const ready = readyOf(listening, sender, input);
    readyFile?.write(ready);
    return { ready, items: () => itemsUntilEnd(context, listening, { sender, subscription, url }), close };
  } catch (error) {
    await close();
    throw error;
  }

  async function close(): Promise<void> {
    readyFile?.remove();
    await subscription?.close();
    await listening.close();
  }
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
  const { isHere } = await import('../../webhooks/forward/routes.ts');
  const { hostname } = new URL(url);
  if (isHere(new URL(url))) return;
  context.note('open', `listening on ${hostname}:${port}: anyone who can reach this machine can send events to it`);
}

function readyOf({ url, port }: Listening, sender: Sender, { path }: ListenInput): Ready {
  return {
    type: 'ready',
    url: path === undefined ? url.replace(/\/$/, '') : url,
    port,
    sandbox: sender.kind === 'sandbox' ? sender.locator.url : null,
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
  const { later } = (await context.sandboxes()).thisProcess;
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
  const ended = untilAborted(context.signal).then(end);
  try {
    yield* withAdvice(context, listening.items());
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
    const all = '--failed sends all that no handler has accepted';
    context.note('replay', `bizmsg webhooks replay ${failed.event} sends it again; ${all}`);
  }
}

function hasFailed(item: Item): item is ForwardedItem {
  return item.type === 'forwarded' && item.retry_in === undefined && !succeeded(item);
}
