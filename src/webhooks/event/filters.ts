import { forOption, usage } from '../../base/errors.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { suggest } from '../../base/suggest.ts';
import { eventFamilies, eventNames } from '../../contract/events.ts';
import type { WebhookEvent } from './event.ts';

export type Filter = (event: Pick<WebhookEvent, 'name' | 'body'>) => boolean;

const words: readonly string[] = [...eventFamilies, ...eventNames];

/** Events by names or families, separated by commas. A family includes undocumented events. */
export function byName(text: string): Filter {
  const wanted = wordsIn(text).map(known);
  return ({ name }) => name !== undefined && wanted.some((word) => name === word || name.startsWith(`${word}.`));
}

/** The names in a list that can match no event of the other list. */
export function unmatchedNames(text: string, wanted: string): readonly string[] {
  const isWithin = (name: string, family: string) => `${name}.`.startsWith(`${family}.`);
  return wordsIn(text).filter((word) => !wordsIn(wanted).some((one) => isWithin(word, one) || isWithin(one, word)));
}

function wordsIn(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim());
}

/** Events with this value in the body: `data.to=+12025550101`, `items[0].id=7` or `data["a.b"]=1`. */
export function byField(text: string): Filter {
  const { path, value } = condition(text);
  return ({ body }) => body.kind === 'json' && isWritten(valueAt(body.value, path), value);
}

/** Describes a path of `--where` that no event has, with similar ones; undefined if an event has it. */
export function missingPath(where: string, bodies: Iterable<WebhookEvent['body']>): string | undefined {
  const path = condition(where).path.join('.');
  const known = new Set<string>();
  for (const body of bodies) if (body.kind === 'json') addPaths(body.value, '', known);
  if (known.size === 0 || known.has(path)) return undefined;
  const names = [...known];
  const [, last = path] = /([^.]+)$/.exec(path) ?? [];
  const same = names.filter((name) => name.endsWith(`.${last}`));
  const near = same.length > 0 ? same : [suggest(path, names) ?? []].flat();
  const offer = near.slice(0, 3).map((name) => shellQuote(name));
  return `no event has ${path}${offer.length > 0 ? `; did you mean ${offer.join(' or ')}?` : ''}`;
}

function addPaths(value: unknown, path: string, known: Set<string>): void {
  if (path !== '') known.add(path);
  if (typeof value !== 'object' || value === null || path.split('.').length > deepest) return;
  for (const [name, inner] of Object.entries(value)) addPaths(inner, path === '' ? name : `${path}.${name}`, known);
}

/** Levels of a body in which similar paths are looked for. */
const deepest = 4;

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

/** Compares numbers by value. Objects and arrays never match. */
function isWritten(leaf: unknown, value: string): boolean {
  if (typeof leaf === 'number' && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)) return leaf === Number(value);
  if (typeof leaf === 'string') return leaf === value;
  const isPlain = leaf === null || ['number', 'bigint', 'boolean'].includes(typeof leaf);
  return isPlain && String(leaf) === value;
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
