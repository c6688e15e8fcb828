import { maskPhones, redact, maskKey } from '../base/redact.ts';
import { isRecord } from '../contract/readers.ts';
import type { WireAnswer, WireRequest } from './transport.ts';

/** What --debug shows of a request. */
export function requestLines(request: WireRequest, conceal: Conceal): string[] {
  const head = `${request.method} ${request.url}`;
  const headers = Object.entries(request.headers).map(([name, value]) => headerLine(name, value));
  return marked('>', [head, ...headers, ...bodyLines(textOf(request.body))], conceal);
}

export function answerLines(answer: WireAnswer, milliseconds: number, conceal: Conceal): string[] {
  const headers = answer.headers.map(([name, value]) => headerLine(name, value));
  const body = bodyLines(textOf(answer.body));
  return marked('<', [`${answer.status} (${Math.round(milliseconds)} ms)`, ...headers, ...body], conceal);
}

export function failureLines(failure: Error, milliseconds: number, conceal: Conceal): string[] {
  return marked('!', [`${failure.message} (${Math.round(milliseconds)} ms)`], conceal);
}

function headerLine(name: string, value: string): string {
  const bearer = /^Bearer (.+)$/i.exec(value)?.[1];
  if (/^authorization$/i.test(name) && bearer !== undefined) return `${name}: Bearer ${maskKey(bearer)}`;
  return /^(?:proxy-authorization|authorization|cookie|set-cookie)$/i.test(name) ? `${name}: …` : `${name}: ${value}`;
}

function textOf(body: string | Uint8Array | undefined): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body?.subarray(0, 65_536));
}

function bodyLines(text: string): string[] {
  return text === '' ? [] : ['', ...text.split(/\r?\n/)];
}

/** Concealed as a whole and cut after that: neither half a key nor half a number is left over. */
function marked(mark: string, lines: readonly string[], conceal: Conceal): string[] {
  const safe = maskNumbers(conceal.text(lines.join('\n')));
  const cut = safe.length > 8_192 ? `${safe.slice(0, 8_192)}…` : safe;
  return cut.split('\n').map((line) => `${mark} ${visible(line)}`.trimEnd());
}

function maskNumbers(text: string): string {
  return maskPhones(text).replace(/(%2B\d{3})\d{2,10}(\d{2})(?!\d)/gi, '$1…$2');
}

/** Controls, and the marks that reorder or hide text, written as escapes. */
function visible(line: string): string {
  return line.replace(
    /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu,
    (character) => `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
}

/** Takes the key out of what came from outside, before anybody sees it. */
export interface Conceal {
  text(text: string): string;
  value(value: unknown): unknown;
}

export function createConceal(key: string): Conceal {
  // The same key, as JSON and as a URL write it.
  const secrets = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]);
  const text = (given: string) => redact(given, secrets);
  const value = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given);
    if (Array.isArray(given)) return given.map(value);
    if (!isRecord(given)) return given;
    return Object.fromEntries(Object.entries(given).map(([name, item]) => [text(name), value(item)]));
  };
  return { text, value };
}
