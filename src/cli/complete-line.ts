/** A command line up to the cursor. */
export interface Line {
  /** The words as a shell would hand them over, the last one at the cursor. */
  readonly words: readonly string[];
  /** The last one as it is written. */
  readonly raw: string;
  /** The quote that is open at the cursor. */
  readonly quote: Quote;
  /** Whether the last word names a file that is read or written. */
  readonly redirects: boolean;
}

type Quote = '' | "'" | '"';

interface Word {
  readonly text: string;
  readonly raw: string;
  readonly quote: Quote;
}

/** What bash has of the line; nothing in it is expanded. */
export function lineOf(text: string): Line {
  const words: Word[] = [];
  let at = 0;
  let redirects = false;
  for (;;) {
    at = skipped(text, at);
    const operator = /^\d*(?:&?>>?|<{1,3}|[<>]&)/.exec(text.slice(at))?.[0];
    if (operator !== undefined) {
      redirects = true;
      at += operator.length;
      continue;
    }
    const word = wordAt(text, at);
    at += word.raw.length;
    if (at >= text.length) return finished([...words, word], redirects);
    if (!redirects) words.push(word);
    redirects = false;
  }
}

function finished(words: readonly Word[], redirects: boolean): Line {
  const { raw, quote } = words.at(-1) ?? { raw: '', quote: '' };
  return { words: words.map(({ text }) => text), raw, quote, redirects };
}

function skipped(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? '')) at++;
  return at;
}

function wordAt(line: string, from: number): Word {
  let quote: Quote = '';
  let text = '';
  let at = from;
  for (; at < line.length; at++) {
    const character = line[at] ?? '';
    if (character === quote) quote = '';
    else if (quote === '' && /[\s<>]/.test(character)) break;
    else if (quote === '' && (character === "'" || character === '"')) quote = character;
    else if (character === '\\' && escapes(quote, line[at + 1] ?? '')) text += line[++at] ?? '';
    else text += character;
  }
  return { text, raw: line.slice(from, at), quote };
}

function escapes(quote: Quote, next: string): boolean {
  return quote === '' || (quote === '"' && '"\\$`'.includes(next));
}
