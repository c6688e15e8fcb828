import { Command as Parser, CommanderError, Option } from 'commander';
import { usage } from '../base/errors.ts';
import type { Line } from './suggestions.ts';
import { longName, type Param, type Params, type Texts } from './params.ts';

/** Parses a command line with commander, and returns the texts of each param. */
export async function parse(line: Line): Promise<Texts> {
  const { path, params, argv } = line;
  const parser = new Parser(path.join(' ')).exitOverride().helpOption(false).showSuggestionAfterError(false);
  parser.allowExcessArguments(false);
  parser.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  for (const param of Object.values(params)) declare(parser, param);
  const rest = Object.keys(params).find((name) => params[name]?.kind === 'rest');
  const end = rest === undefined ? -1 : argv.indexOf('--');
  try {
    parser.parse(end < 0 ? [...argv] : argv.slice(0, end), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw (await import('./suggestions.ts')).parseError(line, error);
  }
  const texts = collect(parser, params);
  return rest === undefined || end < 0 ? texts : { ...texts, [rest]: argv.slice(end + 1) };
}

function declare(parser: Parser, param: Param<unknown>): void {
  if (param.kind === 'rest') return;
  if (param.kind === 'argument') {
    // The param itself checks whether it is missing.
    parser.argument(param.spec.replace(/^<(.*)>$/, '[$1]'), param.description);
    return;
  }
  const made = new Option(param.spec, param.description);
  parser.addOption(param.kind === 'flag' ? made : made.argParser(appended));
}

function appended(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

function collect(parser: Parser, params: Params): Texts {
  const words = [...parser.processedArgs];
  const given = parser.opts();
  const texts = (param: Param<unknown>): readonly string[] => {
    if (param.kind === 'rest') return [];
    if (param.kind === 'argument') return strings(words.shift());
    const option = parser.options.find(({ long }) => long === longName(param));
    const value: unknown = option && given[option.attributeName()];
    if (param.kind === 'flag') return (value === true) !== Boolean(option?.negate) && value !== undefined ? [''] : [];
    return once(param, strings(value));
  };
  return Object.fromEntries(Object.entries(params).map(([name, param]) => [name, texts(param)]));
}

function strings(value: unknown): readonly string[] {
  return [value].flat().filter((text) => typeof text === 'string');
}

function once(param: Param<unknown>, texts: readonly string[]): readonly string[] {
  if (texts.length < 2 || param.repeats) return texts;
  throw usage(`${longName(param)} is given ${texts.length} times`, 'give it once');
}
