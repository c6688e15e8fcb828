import type { Line } from './complete-line.ts';
import type { Offer, Offered } from './complete-offer.ts';

/** What the shims in completions/ read: the kind on the first line, then what each of them needs. */
export type Reply = readonly string[];

/** zsh cuts what is before the value off itself, and quotes what it inserts. */
export function zshReply({ kind, before, words }: Offer): Reply {
  const cuts = `${before.includes('=') ? '=' : ''}${before.endsWith(',') ? ',' : ''}`;
  const width = Math.max(0, ...words.map(({ text }) => text.length));
  const shown = ({ text, about }: Offered) => (about ? `${text.padEnd(width)}  -- ${about}` : text);
  return [`${kind}${ending(words)}`, cuts, ...words.map((one) => `${one.text}\t${shown(one)}`)];
}

/** fish takes whole words, and quotes what it inserts. */
export function fishReply({ kind, before, words }: Offer): Reply {
  return [kind, before, ...words.map(({ text, about }) => `${before}${text}${about ? `\t${about}` : ''}`)];
}

/** bash inserts what it is given as it is, in place of what it takes for the word. */
export function bashReply({ kind, before, words }: Offer, { words: typed, raw, quote }: Line, replaced: string): Reply {
  if (kind !== 'words') return [kind];
  const current = typed.at(-1) ?? '';
  const fitting = words
    .map((one) => ({ ...one, text: before + one.text }))
    .filter(({ text }) => text.startsWith(current));
  const texts = fitting.flatMap(({ text }) => inserted(text, { raw, quote, replaced }) ?? []);
  return [`words${ending(fitting)}`, ...texts];
}

/** What bash may act on, outside of quotes. */
const unsafe = /[^\w./:=+@%,\-\u0080-\u{10ffff}]/u;

interface Place {
  readonly raw: string;
  readonly quote: Line['quote'];
  readonly replaced: string;
}

/** What to put in place of the part that is replaced; undefined where it cannot be done. */
function inserted(text: string, { raw, quote, replaced }: Place): string | undefined {
  if (!raw.endsWith(replaced)) return undefined;
  const stays = raw.slice(0, raw.length - replaced.length).replace(/["']$/, '');
  // What was typed without quotes would be acted on together with what is inserted.
  if (unsafe.test(stays) || !text.startsWith(stays)) return undefined;
  const rest = text.slice(stays.length);
  if (quote === '') return rest.replace(new RegExp(unsafe, 'gu'), String.raw`\$&`);
  return /^[\w ./:=+@%,\-\u00a1-\u{10ffff}]*$/u.test(rest) ? rest : undefined;
}

/** Whether more of the same word is to follow. */
function ending(words: readonly Offered[]): string {
  return words.length > 0 && words.every(({ text }) => text.endsWith('=')) ? ' open' : '';
}
