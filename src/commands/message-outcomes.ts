import { CliError } from '../base/errors.ts';
import type { Context } from '../cli/command.ts';
import { type Outcome, outcomeOf, replaces } from '../contract/events.ts';
import type { Received } from '../logs/events.ts';
import { remoteOf } from './sandbox/control.ts';
import { withHistory } from './webhooks/recorded.ts';
import { secretsToTry } from './webhooks/secrets.ts';

/** The outcome of a message that was accepted. */
export interface MessageOutcome {
  readonly delivery: Outcome;
  /** Why it failed, if its event has a reason. */
  readonly reason?: string | undefined;
}

/** The outcomes of messages by id: from the events that listeners recorded, and from the running local sandboxes. */
export async function messageOutcomes(
  context: Context,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, MessageOutcome>> {
  const outcomes = new Map<string, MessageOutcome>();
  if (ids.size === 0) return outcomes;
  const learn = (id: string, outcome: MessageOutcome) => {
    const known = outcomes.get(id);
    if (!known || replaces(outcome.delivery, known.delivery)) outcomes.set(id, outcome);
  };
  const [{ newestFirst }, { eventOf }, { check }, sandboxes, secrets] = await Promise.all([
    import('../webhooks/history.ts'),
    import('../webhooks/event/event.ts'),
    import('../delivery/signature.ts'),
    context.sandboxes(),
    knownSecrets(context),
  ]);
  let unsigned = 0;
  const learnFrom = (received: Received) => {
    const { name, message_id: id, reason } = eventOf(received);
    const delivery = outcomeOf(name);
    if (!delivery || id === undefined || !ids.has(id)) return;
    // Any program on this machine can send an event to the listener.
    const { headers, body, received_at: at } = received;
    const isSigned = secrets.length === 0 || check(secrets, headers, body, at).verdict === 'good';
    if (isSigned) learn(id, { delivery, reason });
    else unsigned += 1;
  };
  await withHistory(context, async (history) => {
    for await (const { event } of newestFirst(history)) learnFrom(event);
  });
  if (unsigned > 0) {
    const [events, verb] = unsigned === 1 ? ['event', 'does'] : ['events', 'do'];
    context.note('signature', `${unsigned} ${events} without a valid signature ${verb} not count`);
  }
  for (const locator of sandboxes.visible()) {
    for (const { id, status } of await (await remoteOf(context, locator)).ask('messages')) {
      if (status !== 'accepted' && ids.has(id)) learn(id, { delivery: status });
    }
  }
  return outcomes;
}

/** None if the sandbox has to run, but does not. */
async function knownSecrets(context: Context): Promise<readonly string[]> {
  try {
    const known = await secretsToTry(context, { secretStdin: false, secretFile: undefined });
    return known.map(({ secret }) => secret);
  } catch (error) {
    if (error instanceof CliError && error.code === 'no-secret') return [];
    throw error;
  }
}
