import { forOption, usage } from '../base/errors.ts';
import { suggest } from '../base/suggest.ts';

/** Parses the text of one value, or throws a usage error. */
type TextReader<T> = (text: string) => T;

/** An argument or option of a command, and how its texts become a value. */
export interface Param<T> {
  readonly kind: 'argument' | 'option' | 'flag' | 'rest';
  /** `<phone>`, `[file]` or `[words...]` for an argument, `-p, --param <value>` for an option, `-- <command...>`. */
  readonly spec: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** Values for shell completion. */
  readonly completion?: readonly string[] | KnownSource;
  /** Whether it may be given several times. */
  readonly repeats?: true;
  /** Its value if it is given without one: `--wait` means `--wait=delivered`. Other values need the `=`. */
  readonly bare?: string;
  /** Whether `-p=` is the empty value; other options refuse it. */
  readonly mayBeEmpty?: true;
  /** Its heading in the help of the command. */
  readonly heading?: string;
  readonly read: (texts: readonly string[]) => T;
}

/** Values that shell completion looks up: `callers` are the profiles and the local sandbox. */
export type KnownSource = 'files' | 'profiles' | 'callers' | 'templates' | 'batches' | 'help';

export type Params = Readonly<Record<string, Param<unknown>>>;
export type Input<P extends Params> = { readonly [K in keyof P]: ReturnType<P[K]['read']> };
/** The typed texts of each param, by its name. */
export type Texts = Readonly<Record<string, readonly string[]>>;

const asTyped: TextReader<string> = (text) => text;

export function argument(spec: string, description: string): Param<string | undefined>;
export function argument<T>(spec: string, description: string, read: TextReader<T>): Param<T | undefined>;
export function argument(spec: string, description: string, read: TextReader<unknown> = asTyped): Param<unknown> {
  return { kind: 'argument', spec, description, read: last(read) };
}

/** An argument that must be given: commander refuses a line without it. */
export function required(spec: `<${string}>`, description: string): Param<string>;
export function required<T>(spec: `<${string}>`, description: string, read: TextReader<T>): Param<T>;
export function required(spec: string, description: string, read: TextReader<unknown> = asTyped): Param<unknown> {
  return { kind: 'argument', spec, description, read: ([text = '']) => read(text) };
}

export function option(spec: string, description: string): Param<string | undefined>;
export function option<T>(spec: string, description: string, read: TextReader<T>): Param<T | undefined>;
export function option(spec: string, description: string, read: TextReader<unknown> = asTyped): Param<unknown> {
  return { kind: 'option', spec, description, read: last(read) };
}

/** An option whose value may be left out. */
export function optionalValue<T>(
  spec: string,
  description: string,
  bare: string,
  read: TextReader<T>,
): Param<T | undefined> {
  return { kind: 'option', spec, description, bare, read: last(read) };
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

/** All remaining arguments. */
export function words(spec: string, description: string): Param<readonly string[]> {
  return { kind: 'argument', spec, description, repeats: true, read: (texts) => texts };
}

/** The command after `--`, and its arguments. */
export function rest(spec: `-- ${string}`, description: string): Param<readonly string[]> {
  const read = (texts: readonly string[]) => {
    if (texts.length === 0) throw usage('no command is given', 'put it at the end, such as: npm test');
    if (texts[0] === '') throw usage('the command is empty', 'is a variable not set?');
    return texts;
  };
  return { kind: 'rest', spec, description, repeats: true, read };
}

/** The param with values for shell completion. */
export function knowing<T>(completion: readonly string[] | KnownSource, param: Param<T>): Param<T> {
  return { ...param, completion };
}

/** The option with `-p=` as an empty value. */
export function orEmpty<T>(param: Param<T>): Param<T> {
  return { ...param, mayBeEmpty: true };
}

/** The params below a heading of the help. */
export function under<P extends Params>(heading: string, params: P): P;
export function under(heading: string, params: Params): Params {
  return Object.fromEntries(Object.entries(params).map(([name, param]) => [name, { ...param, heading }]));
}

/** Options that the help of the command names only in its text. */
export function unlisted<P extends Params>(params: P): P {
  return under('', params);
}

export function flag(spec: string, description: string): Param<boolean> {
  return { kind: 'flag', spec, description, read: (texts) => texts.length > 0 };
}

export function chosen<const C extends readonly string[]>(text: string, choices: C, hint?: string): C[number] {
  const choice = choices.find((word) => word === text);
  if (choice !== undefined) return choice;
  const near = suggest(text, choices);
  throw usage(`"${text}" is not one of ${choices.join(', ')}`, hint ?? (near && `did you mean ${near}?`));
}

/** Parses the texts of a command line. */
export function readInput<P extends Params>(params: P, texts: Texts): Input<P>;
export function readInput(params: Params, texts: Texts): object {
  const read = (param: Param<unknown>, typed: readonly string[] = []) =>
    param.kind === 'option' ? forOption(longName(param), () => param.read(typed)) : param.read(typed);
  return Object.fromEntries(Object.entries(params).map(([name, param]) => [name, read(param, texts[name])]));
}

/** The option with a name such as `-p` or `--param`. */
export function optionNamed(params: Params, name: string): Param<unknown> | undefined {
  return Object.values(params).find((param) => namesOf(param).includes(name));
}

/** `-p` and `--param`; empty for an argument. */
export function namesOf({ kind, spec }: Pick<Param<unknown>, 'kind' | 'spec'>): readonly string[] {
  return kind === 'option' || kind === 'flag' ? spec.split(/[ ,]+/).filter((word) => word.startsWith('-')) : [];
}

/** `--param` for `-p, --param <value>`, the spec of an argument. */
export function longName(param: Pick<Param<unknown>, 'kind' | 'spec'>): string {
  return namesOf(param).at(-1) ?? param.spec;
}

/** `file` for `--input <file>`, `[file]` and `<file...>`; empty for a flag. */
export function placeholderOf({ spec }: Pick<Param<unknown>, 'spec'>): string {
  return /[<[]([^<>.[\]]+)(?:\.\.\.)?[>\]]$/.exec(spec)?.[1] ?? '';
}

function last<T>(read: TextReader<T>): (texts: readonly string[]) => T | undefined {
  return (texts) => texts.slice(-1).map((text) => read(text))[0];
}

/** Milliseconds of a timer, from `30`, `30s`, `500ms`, `5m` or `2h`. */
export function duration(text: string): number {
  const milliseconds = millisecondsIn(text);
  // A timer holds 31 bits; a longer one would fire immediately.
  if (milliseconds >= 1 && milliseconds < 2 ** 31) return milliseconds;
  throw usage(`"${text}" is not a duration`, 'use 30s, 5m or 500ms; a bare number is seconds');
}

/** Milliseconds of a span, which may be longer than a timer (`31d`) or 0. */
export function span(text: string): number {
  const milliseconds = millisecondsIn(text);
  if (milliseconds >= 0) return milliseconds;
  throw usage(`"${text}" is not a span of time`, 'use 5s, 10m, 2h or 31d; a bare number is seconds');
}

function millisecondsIn(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,9}(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  const length = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] ?? Number.NaN;
  return Math.round(Number(amount) * length);
}

export function count(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usage(`"${text}" is not a whole number`);
}

export function atLeastOne(text: string): number {
  const number = count(text);
  if (number > 0) return number;
  throw usage(`"${text}" is too small`, 'give 1 or more');
}

export function port(text: string): number {
  const number = count(text);
  if (number <= 65_535) return number;
  throw usage(`"${text}" is not a port`, 'use 1 to 65535, or 0 for any free port');
}

/** Names separated by commas. */
export function names(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw usage(`"${text}" has an empty name`, 'use names with commas between, such as id,name');
  return names;
}

/** `key=value`; dots in the key nest objects. */
export function setting(text: string): { readonly key: readonly string[]; readonly value: string } {
  const at = text.indexOf('=');
  if (at < 1) throw usage(`"${text}" is not key=value`);
  const key = text.slice(0, at).split('.');
  if (key.includes('')) throw usage(`"${text}" has an empty part`);
  return { key, value: text.slice(at + 1) };
}

/** Requests a minute, from `300/m` or `20/s`. */
export function rate(text: string): number {
  const [, amount, unit] = /^(\d{1,7})\/([sm])$/.exec(text) ?? [];
  const perMinute = Number(amount) * (unit === 's' ? 60 : 1);
  if (perMinute > 0) return perMinute;
  throw usage(`"${text}" is not a rate`, 'use 300/m or 20/s');
}
