import { CliError } from '../../base/errors.ts';
import type { OnDamage } from '../../base/journal-lines.ts';
import type { Context, Ui } from '../../cli/command.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import type { WebhookEvent } from '../../webhooks/event/event.ts';
import type { Past } from '../../webhooks/log/history.ts';
import { storyText } from '../sandbox/messages.ts';
import { eventRow } from './history.ts';
import { remoteOf } from '../sandbox/control.ts';

/** A message: its story in the sandbox, and the events of listeners that mention it. */
export interface FoundMessage {
  /** Null if no sandbox of this machine sent it. */
  readonly message: OutputOf<'message'> | null;
  readonly received: readonly ReturnType<typeof eventRow>[];
}

/** Undefined if neither a running sandbox nor a listener knows this id. */
export async function findMessage(context: Context, id: string, onDamage: OnDamage): Promise<FoundMessage | undefined> {
  const { stateFolder } = await context.sandboxes();
  const [message, received] = [await sandboxMessage(context, id), await receivedEvents(stateFolder, id, onDamage)];
  return message || received.length > 0 ? { message: message ?? null, received } : undefined;
}

async function sandboxMessage(context: Context, id: string): Promise<OutputOf<'message'> | undefined> {
  const sandboxes = await context.sandboxes();
  for (const locator of sandboxes.meant()) {
    try {
      return await (await remoteOf(context, locator)).ask('message', { id });
    } catch (error) {
      if (!(error instanceof CliError && error.exit === 'notFound')) throw error;
    }
  }
  return undefined;
}

/** Oldest first. */
async function receivedEvents(stateFolder: string, id: string, onDamage: OnDamage): Promise<FoundMessage['received']> {
  const [{ newestFirst }, { eventOf, mentions }] = await Promise.all([
    import('../../webhooks/log/history.ts'),
    import('../../webhooks/event/event.ts'),
  ]);
  const found: { readonly past: Past; readonly event: WebhookEvent }[] = [];
  for (const past of newestFirst(stateFolder, onDamage)) {
    const event = mayMention(past, id) ? eventOf(past.event) : undefined;
    if (event && mentions(event, id)) found.push({ past, event });
  }
  return found.reverse().map(eventRow);
}

/** Parsing every event would take seconds. */
function mayMention({ event: { body, encoding, headers } }: Past, id: string): boolean {
  const isPlain = encoding === undefined && !headers.some(([name]) => name.toLowerCase() === 'content-encoding');
  return !isPlain || body.includes(id);
}

export function messageText({ message, received }: FoundMessage, ui: Ui): string {
  const lines = received.map(({ id, received_at: at, name, answered }) =>
    ui.line([ui.time(at), name ?? 'unnamed', id, ...(answered === null ? [] : [`forwarded: ${answered}`])]),
  );
  const story = message ? [storyText(message, ui)] : [];
  const events = lines.length > 0 ? [['Received by bizmsg webhooks listen:', ...lines].join('\n')] : [];
  return `${[...story, ...events].join('\n\n')}\n`;
}
