import { usage } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';
import { events } from '../../contract/events.ts';
import type { WebhookEvent } from './event.ts';

export type Filter = (event: Pick<WebhookEvent, 'name' | 'body'>) => boolean;

const names = Object.keys(events);
const families = [...new Set(names.map((name) => name.replace(/\..*/, '')))];
const words = [...families, ...names];

/** Events by name or family, with commas between. A family has those as well that the document does not know. */
export function byName(text: string): Filter {
  const wanted = wordsIn(text).map(known);
  return ({ name }) => name !== undefined && wanted.some((word) => name === word || name.startsWith(`${word}.`));
}

/** The words of one list of names that no event has which another list takes. */
export function idleWords(text: string, wanted: string): readonly string[] {
  const isWithin = (name: string, family: string) => `${name}.`.startsWith(`${family}.`);
  return wordsIn(text).filter((word) => !wordsIn(wanted).some((one) => isWithin(word, one) || isWithin(one, word)));
}

function wordsIn(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim());
}

/** `path=value`, where the path leads into the body: `data.to=+12025550101`, `items[0].id=7` or `data["a.b"]=1`. */
export function byField(text: string): Filter {
  const { path, value } = condition(text);
  return ({ body }) => body.kind === 'json' && isWritten(valueAt(body.value, path), value);
}

/** Whether all of them let an event pass. */
export function passing(filters: readonly Filter[]): Filter {
  return (event) => filters.every((filter) => filter(event));
}

function known(word: string): string {
  if (words.includes(word)) return word;
  const near = suggest(word, words);
  throw usage(`"${word}" is not an event`, near === undefined ? `use ${words.join(', ')}` : `did you mean ${near}?`);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const found = Object.entries(value).find(([name]) => name === key);
  return found && valueAt(found[1], rest);
}

interface Condition {
  readonly path: readonly string[];
  readonly value: string;
}

const bracket = /^\[(?:(\d+)|"([^"]+)"|'([^']+)')\]/;
const [first, next] = [/^\.?([^.[\]"'=]+)/, /^\.([^.[\]"'=]+)/];

function condition(text: string): Condition {
  const path: string[] = [];
  for (let rest = text.trimStart(); ;) {
    const found = bracket.exec(rest) ?? (path.length === 0 ? first : next).exec(rest);
    const [whole = '', ...names] = found ?? [];
    const name = names.find((one) => one !== undefined)?.trim();
    if (!name) throw usage(`"${text}" is not a condition`, 'use a path and a value: data.status=failed, data["a.b"]=1');
    path.push(name);
    rest = rest.slice(whole.length);
    if (rest.startsWith('=')) return { path, value: rest.slice(1) };
  }
}

/** A number is one however it is written. What holds other values is no text. */
function isWritten(leaf: unknown, value: string): boolean {
  if (typeof leaf === 'number' && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)) return leaf === Number(value);
  if (typeof leaf === 'string') return leaf === value;
  const isPlain = leaf === null || ['number', 'bigint', 'boolean'].includes(typeof leaf);
  return isPlain && String(leaf) === value;
}

/** What an event means to whoever waits: that it came, or that it will not come any more. Most mean nothing. */
export type Meaning = 'came' | 'opposite';

export type Goal = 'delivered' | 'read';

/** To a wait for what becomes of one message. */
export function meaningFor({ name }: Pick<WebhookEvent, 'name'>, goal: Goal): Meaning | undefined {
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
}: Expected): (event: Pick<WebhookEvent, 'name' | 'body'>) => Meaning | undefined {
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
