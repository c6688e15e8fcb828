import { type CliError, usage } from '../../base/errors.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { longName } from '../params.ts';
import { asUsed, didYouMean, fileOption, firstName, isFileName, toFile } from './hints.ts';
import { argumentsOf, type Line, type Typed, typedIn } from './line.ts';

/** More words than the command has arguments. */
export function surplus(line: Line): CliError {
  const { path, node } = line;
  const typed = typedIn(line);
  const words = typed.filter(({ is }) => is === 'word');
  const torn = words.find((word) => isTorn(before(typed, word)));
  const word = torn ?? words[argumentsOf(line).length];
  if (word === undefined) return usage('there are more arguments than this command takes', asUsed(line));
  if (Object.values(node.params).some(({ kind }) => kind === 'rest'))
    return usage(`"${word.text}" does not stand after --`, `write ${path.join(' ')} [options] -- ${word.text} …`);
  return usage(`"${word.text}" is one argument too many`, hintFor(line, typed, word));
}

function before(typed: readonly Typed[], word: Typed): Typed | undefined {
  return typed[typed.indexOf(word) - 1];
}

/** `--map Full`, which cannot be the whole value. */
function isTorn(option: Typed | undefined): boolean {
  return option?.is === 'option' && wantsSign(option) && option.value?.includes('=') === false;
}

function wantsSign({ param }: Typed): boolean {
  return param?.spec.includes('=') === true && !param.spec.includes('[=');
}

function hintFor(line: Line, typed: readonly Typed[], word: Typed): string {
  const { text } = word;
  const last = before(typed, word);
  if (isFileName(text)) return ofFile(line, text);
  if (last?.is === 'option' && !last.param?.choices) return afterValue(last, following(typed, word));
  const noValue = last?.is === 'flag' ? `${last.text} takes no value` : undefined;
  const named = noValue && ofName(line, last?.text, text);
  if (named !== undefined) return named;
  // What takes no word at all has none of its values in words either.
  if (argumentsOf(line).length === 0) return noValue ?? `it takes no argument: ${asUsed(line)}`;
  return asParam(line, text) ?? noValue ?? asUsed(line);
}

/** The words in a row that begin with this one. */
function following(typed: readonly Typed[], word: Typed): readonly string[] {
  const rest = typed.slice(typed.indexOf(word));
  const end = rest.findIndex(({ is }) => is !== 'word');
  return rest.slice(0, end < 0 ? rest.length : end).map(({ text }) => text);
}

/** Either it is one value in several words, or it is several values. */
function afterValue(option: Typed, words: readonly string[]): string {
  const { text: name, value = '' } = option;
  if (!wantsSign(option)) {
    const quote = `quote a value that has a space: ${name} ${shellQuote([value, ...words].join(' '))}`;
    return option.param?.repeats ? `${quote}; if they are several: ${each(name, [value, ...words])}` : quote;
  }
  if (value.includes('=')) return `one ${name} for each: ${each(name, [value, ...words])}`;
  const end = words.findIndex((word) => word.includes('='));
  if (end < 0) return `write ${name} ${shellQuote(`${value}=${words[0]}`)}`;
  return `quote a value that has a space: ${name} ${shellQuote([value, ...words.slice(0, end + 1)].join(' '))}`;
}

function each(name: string, values: readonly string[]): string {
  return values.map((value) => `${name} ${shellQuote(value)}`).join(' ');
}

/** `--json tags`, where a field of JSON has an option of its own, such as `--parse-json`. */
function ofName({ node }: Line, flag = '', word: string): string | undefined {
  const found = Object.values(node.params).find(
    (param) => param.kind === 'option' && flag.startsWith('--') && longName(param).endsWith(flag.slice(1)),
  );
  return found && `${flag} takes no value; ${didYouMean([`${longName(found)} ${shellQuote(word)}`])}`;
}

function ofFile(line: Line, file: string): string {
  if (argumentsOf(line).includes('file')) return 'one file at a time: give each a line of its own';
  const option = fileOption(line);
  return option === undefined ? toFile(line, file) : didYouMean([`${option} ${shellQuote(file)}`]);
}

/** Values that are given one by one, by an option so frequent that it has a short name. */
function asParam({ node }: Line, word: string): string | undefined {
  const found = Object.values(node.params).find(
    ({ kind, repeats, spec }) => kind === 'option' && repeats && /^-\w,/.test(spec),
  );
  return found && didYouMean([`${firstName(found)} ${shellQuote(word)}`]);
}
