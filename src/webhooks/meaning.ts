import { byField, byName, passing } from './filters.ts';
import type { Happened } from './waiting.ts';

/** What an event means to whoever waits: that it came, or that it will not come any more. Most mean nothing. */
export type Meaning = 'came' | 'opposite';

export type Goal = 'delivered' | 'read';

/** To a wait for what becomes of one message. */
export function meaningFor({ name }: Pick<Happened, 'name'>, goal: Goal): Meaning | undefined {
  if (name === 'message.failed') return 'opposite';
  // What was read has arrived.
  return name === 'message.read' || name === `message.${goal}` ? 'came' : undefined;
}

export interface Expected {
  readonly event: string;
  /** Conditions on the body. */
  readonly where: readonly string[];
}

/** To somebody who expects an event by its name. */
export function expectation({
  event,
  where,
}: Expected): (event: Pick<Happened, 'name' | 'body'>) => Meaning | undefined {
  const isNamed = byName(event);
  const passes = passing(where.map(byField));
  const isWanted = (name: string) => isNamed({ name, body: { kind: 'none' } });
  const hasOpposite = (isWanted('message.delivered') || isWanted('message.read')) && !isWanted('message.failed');
  return (event) => {
    if (!passes(event)) return undefined;
    if (isNamed(event)) return 'came';
    return hasOpposite && event.name === 'message.failed' ? 'opposite' : undefined;
  };
}
