import { condition, isMet } from '../../base/condition.ts';
import { forOption, usage } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';
import { eventFamilies, eventNames } from '../../contract/events.ts';
import type { WebhookEvent } from './event.ts';

export type Filter = (event: Pick<WebhookEvent, 'name' | 'body'>) => boolean;

const words: readonly string[] = [...eventFamilies, ...eventNames];

/** Events by names or families, separated by commas. A family includes undocumented events. */
export function byName(text: string): Filter {
  const wanted = text.split(',').map((word) => known(word.trim()));
  return ({ name }) => name !== undefined && wanted.some((word) => name === word || name.startsWith(`${word}.`));
}

/** Events with this value in the body: `data.to=+12025550101`, `items[0].id=7` or `data["a.b"]=1`. */
export function byField(text: string): Filter {
  const wanted = condition(text);
  return ({ body }) => body.kind === 'json' && isMet(wanted, body.value);
}

/** Events that `--events` and all `--where` select. */
export function selectedBy(events: string | undefined, where: readonly string[]): Filter {
  const filters = where.map((text) => forOption('--where', () => byField(text)));
  if (events !== undefined) filters.push(forOption('--events', () => byName(events)));
  return (event) => filters.every((filter) => filter(event));
}

function known(word: string): string {
  if (words.includes(word)) return word;
  const near = suggest(word, words);
  throw usage(`"${word}" is not an event`, near === undefined ? `use ${words.join(', ')}` : `did you mean ${near}?`);
}

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
