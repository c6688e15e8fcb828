import { type CliError, usage } from '../../base/errors.ts';
import { suggestAll, suggest } from '../../base/suggest.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { globals, honourable } from '../globals.ts';
import { longName, type Param, type Params } from '../params.ts';
import { didYouMean, fileOption, firstName, isFileName, toFile } from './hints.ts';
import { argumentsOf, type Line, type Typed, typedIn } from './line.ts';

/** An option that this command has not. */
export function unknownOption(line: Line, message: string): CliError {
  const typed = typedIn(line).find(({ is }) => is === 'unknown');
  const hint = typed && hints.map((hintFor) => hintFor(line, typed)).find((one) => one !== undefined);
  return usage(message, hint ?? `see ${line.path.join(' ')} --help`);
}

/** One that is not global, before a command is known. */
export function unknownBefore(token: string): CliError {
  const [name = token] = token.split('=');
  const near = likelyOf(name, globals);
  const hint = near.length > 0 ? didYouMean(near) : 'options of a command stand after its name';
  return usage(`unknown option ${token} before a command`, hint);
}

type Hint = (line: Line, typed: Typed) => string | undefined;

/** The first that has something to say is heard. */
const hints: readonly Hint[] = [
  ({ node }, { text, value }) => instead(node.instead, text, value),
  argument,
  fileArgument,
  valueOfAnother,
  begun,
  ofFile,
  formatNamed,
  nearOne,
  ({ node }, { text, value }) => instead(node.instead, suggest(text, Object.keys(node.instead ?? {})), value),
];

function instead(known: Readonly<Record<string, string>> = {}, name = '', value = '…'): string | undefined {
  return known[name]?.replace(/\S*VALUE\S*/, (word) => shellQuote(word.replace('VALUE', () => value)));
}

/** `--file people.csv`, where an argument is called so. */
function argument(line: Line, { text, value = '…' }: Typed): string | undefined {
  const name = argumentsOf(line).find((one) => `--${one}` === text);
  return name && standsAlone(line, name, value);
}

/** `--csv people.csv`. */
function fileArgument(line: Line, { value }: Typed): string | undefined {
  const takesOne = argumentsOf(line).includes('file');
  return takesOne && isFileName(value) ? standsAlone(line, 'file', value) : undefined;
}

function standsAlone(line: Line, name: string, value: string): string {
  const words = argumentsOf(line).map((one) => (one === name ? shellQuote(value) : `<${one}>`));
  return `the ${name} stands without an option: ${[...line.path, ...words].join(' ')}`;
}

/** `--csv` for `-o csv`, `--live` for `--mode live`. */
function valueOfAnother(line: Line, { text }: Typed): string | undefined {
  const found = Object.values(takenBy(line)).find(({ choices }) => choices?.includes(text.slice(2)));
  return found && didYouMean([`${firstName(found)} ${text.slice(2)}`]);
}

/** `--dry` for `--dry-run`, then `--count` for `--expect-count`, then `--prof` for `--profile`. */
function begun(line: Line, { text, value }: Typed): string | undefined {
  const [word, names] = [text.slice(2), longNames(takenBy(line))];
  const whole = names.filter((name) => name.startsWith(`${text}-`));
  const shared = longNames(line.node.params).filter((name) =>
    name.split('-').some((part) => part !== '' && isWord(word, part)),
  );
  const cut = names.filter((name) => word.length > 1 && name.startsWith(text));
  // Who names a file of results means no format by `--out`.
  if (isFileName(value) && cut.includes('--output')) return undefined;
  const found = [whole, shared, cut].find(({ length }) => length > 0);
  return found && didYouMean(found);
}

function isWord(word: string, part: string): boolean {
  return part === word || part === `${word}s`;
}

function ofFile(line: Line, { value }: Typed): string | undefined {
  if (!isFileName(value)) return undefined;
  const option = fileOption(line);
  if (option !== undefined) return didYouMean([`${option} ${shellQuote(value)}`]);
  return line.node.honours.includes('output') ? toFile(line, value) : undefined;
}

/** `--format csv`. */
function formatNamed({ path, node }: Line, { value }: Typed): string | undefined {
  const isFormat = node.honours.includes('output') && globals.output.choices?.some((one) => one === value);
  if (!isFormat) return undefined;
  return node.lists
    ? didYouMean([`${path.join(' ')} -o ${value} > ${path.at(-2)}.${value}`])
    : didYouMean([`-o ${value}`]);
}

function nearOne(line: Line, { text }: Typed): string | undefined {
  const near = likelyOf(text, takenBy(line));
  return near.length > 0 ? didYouMean(near) : undefined;
}

/** Without the dashes, which no two names differ by. */
function likelyOf(text: string, params: Params): readonly string[] {
  const names = longNames(params).map((name) => name.slice(2));
  return text.length > 3 ? suggestAll(text.slice(2), names).map((name) => `--${name}`) : [];
}

/** The command's own options, and the global ones that it does not refuse. */
function takenBy({ node }: Line): Params {
  const refused = new Set<string>(honourable.filter((name) => !node.honours.includes(name)));
  const taken = Object.entries(globals).filter(([name]) => !refused.has(name));
  return { ...node.params, ...Object.fromEntries<Param<unknown>>(taken) };
}

function longNames(params: Params): readonly string[] {
  return Object.values(params)
    .filter(({ kind }) => kind === 'option' || kind === 'flag')
    .map(longName);
}
