import { condition, isMet } from '../../base/condition.ts';
import { forOption, usage } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';
import { eventFamilies, eventNames } from '../../contract/events.ts';
import type { WebhookEvent } from './event.ts';

export type Filter = (event: Pick<WebhookEvent, 'name' | 'body'>) => boolean;

const words: readonly string[] = [...eventFamilies, ...eventNames];

/** Events by names or families, separated by commas. A family includes undocumented events. */
export function byName(text: string): Filter {
  const wanted = text.split(',').map((word) => checkedWord(word.trim()));
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

function checkedWord(word: string): string {
  if (words.includes(word)) return word;
  const near = suggest(word, words);
  throw usage(`"${word}" is not an event`, near === undefined ? `use ${words.join(', ')}` : `did you mean ${near}?`);
}
