import { CliError } from '../base/errors.ts';
import type { Delivery } from '../batches/report.ts';
import type { Context } from '../cli/command.ts';
import { counted } from '../cli/output/figures.ts';
import { type Outcome, outcomeOf, replaces } from '../contract/events.ts';
import { check } from '../delivery/signature.ts';
import type { Received } from '../logs/events.ts';
import { eventOf, type WebhookEvent } from '../webhooks/event/event.ts';
import { newestFirst } from '../webhooks/history.ts';
import { remoteOf } from './sandbox/control.ts';
import { openRecordedEvents } from './webhooks/recorded.ts';
import { secretsToTry } from './webhooks/secrets.ts';

/** The outcome of a message that was accepted. */
interface MessageOutcome extends Delivery {
  readonly delivery: Outcome;
  /** When the event was received; undefined if the sandbox said so. */
  readonly at?: number;
}

/**
 * The outcomes of messages by their id, from the events that listeners recorded, and for local messages from the running
 * sandboxes. `until` is when the latest event was received; undefined if the sandboxes said what is true now.
 */
export async function recordedOutcomes(context: Context, isLocal: boolean, isWanted = (_id: string) => true) {
  const outcomes = new Map<string, MessageOutcome>();
  let until: number | undefined;
  const learn = (id: string, outcome: MessageOutcome) => {
    const before = outcomes.get(id);
    if (!before || replaces(outcome.delivery, before.delivery)) outcomes.set(id, outcome);
  };
  const isReceipt = ({ name, message_id: id }: WebhookEvent) =>
    outcomeOf(name) !== undefined && id !== undefined && isWanted(id);
  for await (const { received, event } of trustedEvents(context, isReceipt)) {
    const delivery = outcomeOf(event.name);
    if (!delivery || event.message_id === undefined) continue;
    until ??= received.received_at;
    learn(event.message_id, { delivery, reason: event.reason, at: received.received_at });
  }
  const sandboxes = isLocal ? await (await context.sandboxes()).all() : [];
  for (const running of sandboxes)
    for (const { id, status } of await (await remoteOf(running)).ask('messages'))
      if (status !== 'accepted' && isWanted(id)) learn(id, { delivery: status });
  return { outcomes, until: sandboxes.length > 0 ? undefined : until };
}

/** The wanted events that listeners recorded, newest first. If secrets are known, only signed ones count. */
export async function* trustedEvents(
  context: Context,
  isWanted: (event: WebhookEvent, received: Received) => boolean,
): AsyncGenerator<{ readonly received: Received; readonly event: WebhookEvent }> {
  const logs = await openRecordedEvents(context);
  if (!logs) return;
  let unsigned = 0;
  try {
    const secrets = await knownSecrets(context);
    for await (const { event: received } of newestFirst(logs)) {
      const event = eventOf(received);
      if (!isWanted(event, received)) continue;
      // Any program on this machine can send an event to the listener.
      const { headers, body, received_at: at } = received;
      if (secrets.length === 0 || check(secrets, headers, body, at).verdict === 'good') yield { received, event };
      else unsigned += 1;
    }
  } finally {
    await logs.close();
  }
  if (unsigned > 0) context.note('signature', `ignored ${counted(unsigned, 'event')} without a valid signature`);
}

/** None if the sandbox has to run, but does not. */
async function knownSecrets(context: Context): Promise<readonly string[]> {
  try {
    return (await secretsToTry(context)).map(({ secret }) => secret);
  } catch (error) {
    if (error instanceof CliError && error.code === 'no-secret') return [];
    throw error;
  }
}
