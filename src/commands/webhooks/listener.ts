import type { Context } from '../../cli/command.ts';
import type { Input } from '../../cli/params.ts';
import { usage } from '../../base/errors.ts';
import type { Item } from '../../webhooks/items.ts';
import type { Listening } from '../../webhooks/listen.ts';
import { accountText, eventSource, type EventSource, sayWhereFrom } from './event-source.ts';
import type { listenParams } from './listen-params.ts';
import { receptionOf } from './reception-options.ts';
import { openReadyFile } from './ready-file.ts';
import { type Link, linkSandbox } from './sandbox-link.ts';
import { givenSecret, storedSecret } from './secrets.ts';
import { wentWell } from './selection.ts';

export interface Ready {
  readonly type: 'ready';
  readonly url: string;
  readonly port: number;
  /** The sandbox whose events come here. */
  readonly sandbox: string | null;
}

export interface Listener {
  readonly ready: Ready;
  /** They end some time after the user wants it. */
  items(): AsyncGenerator<Item, void>;
  close(): Promise<void>;
}

type Given = Input<typeof listenParams>;

const silence = 60_000;

/** Receives, and has whoever sends events send them here. */
export async function openListener(context: Context, input: Given): Promise<Listener> {
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

async function sourceOf(context: Context, { catchUp }: Given): Promise<EventSource> {
  const source = await eventSource(context);
  if (!catchUp || source.kind === 'sandbox') return source;
  throw usage('--catch-up is about what a sandbox has kept', 'these events are those of none: leave it out');
}

interface Surroundings {
  readonly source: EventSource;
  readonly link: Link | undefined;
  readonly url: string;
}

/** The sandbox is told first, so that it sends nothing to who does not listen any more. */
async function* untilEnd(context: Context, listening: Listening, around: Surroundings): AsyncGenerator<Item, void> {
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

/** Whoever sees the first failure learns how to send it again. */
async function* withAdvice(context: Context, items: AsyncGenerator<Item, void>): AsyncGenerator<Item, void> {
  let isSaid = false;
  for await (const item of items) {
    yield item;
    if (isSaid || item.type === 'event' || item.retry_in !== undefined || wentWell(item)) continue;
    isSaid = true;
    context.note('replay', 'bizmsg webhooks replay --failed sends it again');
  }
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

function readyOf({ url, port }: Listening, source: EventSource, { path }: Given): Ready {
  return {
    type: 'ready',
    url: path === undefined ? url.replace(/\/$/, '') : url,
    port,
    sandbox: source.kind === 'sandbox' ? source.locator.url : null,
  };
}

/** What listens on every address is reached on this one. */
function reachable({ url, port }: Listening, { host, path = '' }: Given): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}${path}`;
  return path === '' ? url.replace(/\/$/, '') : url;
}
