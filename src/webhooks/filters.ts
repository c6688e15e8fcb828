import { events } from '../contract/events.ts';
import { usage } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { WebhookEvent } from './event.ts';

export type Filter = (event: Pick<WebhookEvent, 'name' | 'body'>) => boolean;

const names = Object.keys(events);
const families = [...new Set(names.map((name) => name.replace(/\..*/, '')))];
const words = [...families, ...names];

/** Events by name or family, with commas between. A family has those as well that the document does not know. */
export function byName(text: string): Filter {
  const wanted = text.split(',').map((word) => known(word.trim()));
  return ({ name }) => name !== undefined && wanted.some((word) => name === word || name.startsWith(`${word}.`));
}

/** `path=value`, where the path leads into the body: `data.to=+12025550101`, `items.0.id=7` or `items[0].id=7`. */
export function byField(text: string): Filter {
  const at = text.indexOf('=');
  const path = text
    .slice(0, Math.max(at, 0))
    .trim()
    .replace(/\[(\d+)\]/g, '.$1')
    .replace(/^\./, '')
    .split('.');
  if (path.includes('')) throw usage(`"${text}" is no condition`, 'use a path and a value, such as data.status=failed');
  const value = text.slice(at + 1);
  return ({ body }) => body.kind === 'json' && textOf(valueAt(body.value, path)) === value;
}

/** Whether all of them let an event pass. */
export function passing(filters: readonly Filter[]): Filter {
  return (event) => filters.every((filter) => filter(event));
}

function known(word: string): string {
  if (words.includes(word)) return word;
  const near = nearest(word, words);
  throw usage(`"${word}" is no event`, near === undefined ? `use ${words.join(', ')}` : `did you mean ${near}?`);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const found = Object.entries(value).find(([name]) => name === key);
  return found && valueAt(found[1], rest);
}

/** What holds other values is no text. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? String(value) : undefined;
}
