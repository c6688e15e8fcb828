import { usage } from '../base/errors.ts';

/** Turns what was typed for one value into a typed one, or throws a usage error. */
export type TextReader<T> = (text: string) => T;

/** One thing that may be typed after a command, and how its texts become a value. */
export interface Param<T> {
  readonly kind: 'argument' | 'option' | 'flag' | 'rest';
  /** `<phone>`, `[file]` or `[words...]` for an argument, `-p, --param <value>` for an option, `-- <command...>`. */
  readonly spec: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** What else may stand there, as far as a shell that completes can know it. */
  readonly known?: Known;
  /** Every text counts; of the others a second one is refused. */
  readonly repeats?: true;
  readonly read: (texts: readonly string[]) => T;
}

/** Values by themselves, or where they come from. */
export interface Known {
  readonly of: readonly string[] | 'files' | 'folders' | 'profiles' | 'callers' | 'templates' | 'commands';
  /** Several, with commas between. */
  readonly commas?: true;
  readonly more?: readonly string[];
}

export type Params = Readonly<Record<string, Param<unknown>>>;
export type Input<P extends Params> = { readonly [K in keyof P]: ReturnType<P[K]['read']> };
/** What was typed for each param, by the param's name. */
export type Texts = Readonly<Record<string, readonly string[]>>;

const asTyped: TextReader<string> = (text) => text;

export function argument(spec: string, description: string): Param<string | undefined>;
export function argument<T>(spec: string, description: string, read: TextReader<T>): Param<T | undefined>;
export function argument(spec: string, description: string, read: TextReader<unknown> = asTyped): Param<unknown> {
  return { kind: 'argument', spec, description, read: last(read) };
}

/** An argument that the command cannot do without. */
export function required(spec: `<${string}>`, description: string): Param<string>;
export function required<T>(spec: `<${string}>`, description: string, read: TextReader<T>): Param<T>;
export function required(spec: string, description: string, read: TextReader<unknown> = asTyped): Param<unknown> {
  const first = (texts: readonly string[]): string => {
    if (texts[0] === undefined) throw usage(`${spec} is missing`, description);
    return texts[0];
  };
  return { kind: 'argument', spec, description, read: (texts) => read(first(texts)) };
}

export function option(spec: string, description: string): Param<string | undefined>;
export function option<T>(spec: string, description: string, read: TextReader<T>): Param<T | undefined>;
export function option(spec: string, description: string, read: TextReader<unknown> = asTyped): Param<unknown> {
  return { kind: 'option', spec, description, read: last(read) };
}

export function choice<const C extends readonly string[]>(
  spec: string,
  description: string,
  choices: C,
  hintFor?: (text: string) => string | undefined,
): Param<C[number] | undefined> {
  return { kind: 'option', spec, description, choices, read: last((text) => chosen(text, choices, hintFor?.(text))) };
}

export function repeated(spec: string, description: string): Param<readonly string[]>;
export function repeated<T>(spec: string, description: string, read: TextReader<T>): Param<readonly T[]>;
export function repeated(spec: string, description: string, read: TextReader<unknown> = asTyped): Param<unknown> {
  return { kind: 'option', spec, description, repeats: true, read: (texts) => texts.map((text) => read(text)) };
}

/** All the words that are left. */
export function words(spec: string, description: string): Param<readonly string[]> {
  return { kind: 'argument', spec, description, repeats: true, read: (texts) => texts };
}

/** All that stands after `--`, as it is. */
export function rest(spec: `-- ${string}`, description: string): Param<readonly string[]> {
  return { kind: 'rest', spec, description, repeats: true, read: (texts) => texts };
}

/** The same param, with what a shell may offer for it. */
export function knowing<T>(known: Known, param: Param<T>): Param<T> {
  return { ...param, known };
}

export function flag(spec: string, description: string): Param<boolean> {
  return { kind: 'flag', spec, description, read: (texts) => texts.length > 0 };
}

export function chosen<const C extends readonly string[]>(text: string, choices: C, hint?: string): C[number] {
  const found = choices.find((candidate) => candidate === text);
  if (found === undefined) throw usage(`"${text}" is not one of ${choices.join(', ')}`, hint);
  return found;
}

/** The typed input that a command's params make of the texts. */
export function readInput<P extends Params>(params: P, texts: Texts): Input<P>;
export function readInput(params: Params, texts: Texts): object {
  return Object.fromEntries(Object.entries(params).map(([name, param]) => [name, param.read(texts[name] ?? [])]));
}

/** `--param` for `-p, --param <value>`; an argument's own spec otherwise. */
export function longName(param: Pick<Param<unknown>, 'spec'>): string {
  return /--[a-z-]+/.exec(param.spec)?.[0] ?? param.spec;
}

function last<T>(read: TextReader<T>): (texts: readonly string[]) => T | undefined {
  return (texts) => {
    const text = texts.at(-1);
    return text === undefined ? undefined : read(text);
  };
}
