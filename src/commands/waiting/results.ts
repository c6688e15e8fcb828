import type { WebhookEvent } from '../../webhooks/event/event.ts';
import { byName, selectedBy } from '../../webhooks/event/filters.ts';

/** How an event ends a wait: with the expected event or with its opposite. */
export type Result = 'expected' | 'opposite';

export type Goal = 'delivered' | 'read';

/** How an event of the message ends a wait for this goal. */
export function resultFor({ name }: Pick<WebhookEvent, 'name'>, goal: Goal): Result | undefined {
  if (name === 'message.failed') return 'opposite';
  // A message that was read was delivered.
  return name === 'message.read' || name === `message.${goal}` ? 'expected' : undefined;
}

export interface Expected {
  readonly event: string;
  /** Conditions on the body. */
  readonly where: readonly string[];
}

/** Returns how an event ends a wait for these events. */
export function expectation({
  event,
  where,
}: Expected): (event: Pick<WebhookEvent, 'name' | 'body'>) => Result | undefined {
  const isNamed = byName(event);
  const passes = selectedBy(undefined, where);
  const isWanted = (name: string) => isNamed({ name, body: { kind: 'none' } });
  const hasOpposite = (isWanted('message.delivered') || isWanted('message.read')) && !isWanted('message.failed');
  return (event) => {
    if (!passes(event)) return undefined;
    if (isNamed(event)) return 'expected';
    return hasOpposite && event.name === 'message.failed' ? 'opposite' : undefined;
  };
}
