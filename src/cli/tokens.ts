/** One part of a command line. A cluster such as `-ix` is several flags. */
export interface Token<P> {
  /** `end` is the `--` after which all words are arguments. */
  readonly kind: 'word' | 'flag' | 'option' | 'unknown' | 'end';
  /** The word, or the name of the option, such as `--param`. */
  readonly text: string;
  readonly param: P | undefined;
  /** Of an option: what follows `=`, or else the next word. */
  readonly value: string | undefined;
  /** Whether the value is in the same word as the name. */
  readonly isInline: boolean;
  /** The first word of the token, and the first word after it. */
  readonly start: number;
  readonly end: number;
}

interface Option {
  readonly kind: 'argument' | 'option' | 'flag' | 'rest';
  readonly bare?: string;
}

const bare = { param: undefined, value: undefined, isInline: false };

/**
 * Splits a command line into tokens. `find` returns the option with a name; it is called when the token is reached, so
 * it may depend on the tokens before it.
 */
export function* tokens<P extends Option>(
  argv: readonly string[],
  find: (name: string) => P | undefined,
): Generator<Token<P>> {
  let at = 0;
  while (at < argv.length) {
    const word = argv[at] ?? '';
    const start = at;
    if (word === '--') {
      yield { kind: 'end', text: word, ...bare, start, end: ++at };
      break;
    }
    if (!/^-./.test(word)) {
      yield { kind: 'word', text: word, ...bare, start, end: ++at };
      continue;
    }
    let { name, inline } = nameIn(word);
    let param = find(name);
    while (param?.kind === 'flag' && !name.startsWith('--') && inline !== undefined) {
      yield { kind: 'flag', text: name, ...bare, param, start, end: at + 1 };
      ({ name, inline } = nameIn(`-${inline}`));
      param = find(name);
    }
    const kind = param === undefined ? 'unknown' : param.kind === 'option' ? 'option' : 'flag';
    inline ??= kind === 'option' ? param?.bare : undefined;
    const takesNext = kind === 'option' && inline === undefined;
    at += takesNext ? 2 : 1;
    const value = takesNext ? argv[start + 1] : inline;
    yield { kind, text: name, param, value, isInline: inline !== undefined, start, end: Math.min(at, argv.length) };
  }
  for (; at < argv.length; at++) yield { kind: 'word', text: argv[at] ?? '', ...bare, start: at, end: at + 1 };
}

/** Splits `--name=value` and `-nvalue`. */
export function nameIn(word: string): { readonly name: string; readonly inline: string | undefined } {
  const [, long, inline] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (long !== undefined) return { name: long, inline };
  return /^-[A-Za-z]/.test(word)
    ? { name: word.slice(0, 2), inline: word.length > 2 ? word.slice(2).replace(/^=/, '') : undefined }
    : { name: word, inline: undefined };
}
