import { CliError, usage } from '../base/errors.ts';
import { redact } from '../base/redact.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { suggest, suggestAll } from '../base/suggest.ts';
import { announced } from '../contract/endpoints.ts';
import type { Command, Group, Node } from './command.ts';
import { globals, notAccepted } from './globals.ts';
import { usageLine } from './help.ts';
import { longName, namesOf, optionNamed, type Param, type Params, placeholderOf } from './params.ts';
import { type Token, tokens } from './tokens.ts';

/** A word in the place of a command. */
export interface Stray {
  readonly tree: Group;
  readonly parent: Group;
  /** The words that lead to the parent, starting with the program's name. */
  readonly path: readonly string[];
  readonly word: string;
  /** The words after it. */
  readonly after: readonly string[];
}

export function unknownCommand(stray: Stray): CliError {
  const { path, word } = stray;
  const family = path.length === 1 && announced.find(({ words }) => words.includes(word));
  if (family) {
    const hint = `coming soon: ${family.features.join(', ')}; see bizmsg help announced`;
    return new CliError('usage', 'announced', `${word}: announced by the API, not available yet`, { hint });
  }
  return usage(`"${word}" is not a command of ${path.join(' ')}`, commandHint(stray));
}

/** Commands that other programs have, and what to do here. */
const unneeded: Readonly<Record<string, string>> = {
  init: 'bizmsg login adds a profile; nothing else is needed',
  setup: 'bizmsg login adds a profile; nothing else is needed',
  config: 'the settings are in profiles: bizmsg profiles list, or profiles set',
  configure: 'bizmsg login adds a profile; bizmsg profiles set changes one',
  auth: 'bizmsg login adds a profile; bizmsg whoami shows the one in use',
  reply: 'bizmsg sandbox trigger message.received simulates a reply; bizmsg send-template answers one',
  'sandbox clear': 'bizmsg sandbox reset all deletes what it got; bizmsg sandbox fault clear removes faults',
  'runs resume': 'run the same command again: it sends the rest',
  'runs continue': 'run the same command again: it sends the rest',
  'runs restart': 'run the same command with --job NAME --again: it sends all rows once more',
};

type Match = (word: string, name: string) => boolean;

const same: Match = (word, name) => word === name;
const near: Match = (word, name) => suggest(word, [name]) !== undefined;
const synonym: Match = (word, name) => synonyms(word).includes(name);
const part: Match = (word, name) => name.split('-').includes(word);

/** The commands that a mistyped one may mean; the first rule with a match decides. */
function commandHint({ tree, parent, path, word, after }: Stray): string {
  const instead = unneeded[[...path.slice(1), word].join(' ')];
  if (instead !== undefined) return instead;
  const [paths, words] = [pathsBelow(tree, [tree.name]), wordsIn(word)];
  const isRoot = parent === tree;
  const context = [...words, ...(isRoot ? after.slice(0, 1) : [parent.name])];
  const named = (match: Match) => paths.filter((one) => words.some((typed) => match(typed, one.at(-1) ?? '')));
  // `import contacts`, and `webhooks add` in the sandbox.
  const inContext = (match: Match) =>
    named(match).filter((one) =>
      one.slice(1, -1).some((name) => context.some((other) => !match(other, one.at(-1) ?? '') && isNoun(other, name))),
    );
  const names = parent.children.map(({ name }) => name);
  const here = synonyms(word).find((name) => names.includes(name)) ?? suggest(word, names);
  const elsewhere = paths.filter((one) => one.at(-1) === word);
  const found = [
    here === undefined ? [] : [[...path, here, ...childNamed(parent, here, after[0])]],
    ...[same, synonym, near].map(inContext),
    isRoot || (elsewhere.length === 1 && elsewhere[0]?.length === 3) ? elsewhere : [],
  ].find(({ length }) => length > 0);
  if (found) return didYouMean(found.map((one) => one.join(' ')));
  const group = isRoot ? tree.children.find(({ name }) => context.some((one) => isNoun(one, name))) : parent;
  if (group?.kind === 'group')
    return `the commands of ${[tree.name, ...(isRoot ? [group.name] : path.slice(1))].join(' ')} are ${group.children.map(({ name }) => name).join(', ')}`;
  const rough = [part, synonym, near].map(named).find(({ length }) => length > 0);
  return rough ? didYouMean(rough.map((one) => one.join(' '))) : `see ${tree.name} --help`;
}

/** The next word, if it is a command of the group. */
function childNamed({ children }: Group, group: string, word: string | undefined): readonly string[] {
  const found = children.find(({ name }) => name === group);
  return found?.kind === 'group' && found.children.some(({ name }) => name === word) && word ? [word] : [];
}

/** The names of a command in other programs, and here. */
const verbs: readonly (readonly [typed: string, here: string])[] = [
  ['ls all index', 'list history'],
  ['rm del delete destroy erase drop remove forget revoke unset', 'remove forget revoke clear'],
  ['add new create make insert', 'create add set'],
  ['edit update change modify', 'set'],
  ['get view describe info cat', 'show list'],
  ['run up serve', 'start'],
  ['down kill end', 'stop'],
  ['load upload', 'import seed'],
  ['dump download save', 'export'],
  ['log logs events', 'history requests'],
  ['select choose', 'use'],
  ['resend retry', 'replay redeliver'],
];

function synonyms(word: string): readonly string[] {
  return verbs.filter(([typed]) => typed.split(' ').includes(word)).flatMap(([, here]) => here.split(' '));
}

function isNoun(word: string, name: string): boolean {
  return `${word}s` === name || near(word, name);
}

/** `importContacts` and `import_contacts` are two words. */
function wordsIn(word: string): readonly string[] {
  return word.split(/[-_:./]+|(?<=[a-z])(?=[A-Z])/).map((one) => one.toLowerCase());
}

/** The paths of all commands and groups, the shortest first. */
function pathsBelow(node: Node, path: readonly string[]): readonly (readonly string[])[] {
  const children = node.kind === 'group' ? node.children : [];
  const paths = children.flatMap((child) => [[...path, child.name], ...pathsBelow(child, [...path, child.name])]);
  return paths.toSorted((a, b) => a.length - b.length);
}

/** A command line that does not fit its command. */
export interface Line {
  /** The words that lead to the command, starting with the program's name. */
  readonly path: readonly string[];
  readonly node: Command;
  /** The command's own params and the global ones. */
  readonly params: Params;
  /** All words besides the path. */
  readonly argv: readonly string[];
}

/** The usage error for a line that commander refused. */
export function parseError(
  line: Line,
  { code, message }: { readonly code: string; readonly message: string },
): CliError {
  const text = plainText(message.replace(/^error: /, '').split('\n')[0] ?? '');
  const typed = typedIn(line);
  const at = typed.findIndex(({ kind }) => kind === 'unknown');
  const option = typed[at];
  // `sandbox exec npm test --watch`: the option belongs to the command after `--`.
  const isOfRest = hasRest(line) && wordsOf(typed.slice(0, at)).length > argumentsOf(line).length;
  if (code === 'commander.excessArguments' || (code === 'commander.unknownOption' && isOfRest))
    return extraArgument(line, typed);
  // commander reads --quiet=yes as a name.
  const valued = typed.find(({ kind, isInline }) => kind === 'flag' && isInline);
  if (code === 'commander.unknownOption' && !option && valued)
    return usage(`${valued.text} takes no value`, `write ${valued.text} instead of ${valued.text}=${valued.value}`);
  const hint =
    code === 'commander.unknownOption' && option ? optionHint(line, option, typed[at + 1]) : choicesHint(line, text);
  return usage(text, hint ?? `see ${line.path.join(' ')} --help`);
}

export function missingArgument(
  path: readonly string[],
  node: Command,
  { spec, description }: Pick<Param<unknown>, 'spec' | 'description'>,
): CliError {
  return usage(`${spec} is missing`, `${asUsed({ path, node })}\n${spec} is ${description}`);
}

/** The possible values of an option that has none. */
function choicesHint({ params }: Line, text: string): string | undefined {
  const param = Object.values(params).find((one) => one.kind === 'option' && text.startsWith(`${longName(one)} needs`));
  return param?.choices && `one of ${param.choices.join(', ')}`;
}

/** The messages of commander in the words of the others. */
function plainText(message: string): string {
  return message
    .replace(/^unknown option '(.*)'$/, 'unknown option $1')
    .replace(/^option '(?:-\w, )?(--[\w-]+).*' argument missing$/, '$1 needs a value');
}

/** An unknown option before the command. */
export function unknownGlobal(word: string, next: string | undefined): CliError {
  const [name = '', value = next] = word.split('=');
  if (keyNames.has(name)) return usage(`unknown option ${name}`, isKey(value) ? keyHint : keySources);
  const names = verbose.has(word) ? ['--version', '--debug'] : likelyNames(name, globals);
  const hint = names.length > 0 ? didYouMean(names) : 'put the options of a command after its name';
  return usage(`unknown option ${word} before a command`, hint);
}

/** Options of other programs for the version, or for more output. */
const verbose: ReadonlySet<string> = new Set(['-v', '--verbose']);

type Typed = Token<Param<unknown>>;

/** The option that a mistyped one may mean; the first rule with a match decides. */
function optionHint(line: Line, { text, value: inline, start }: Typed, next: Typed | undefined): string | undefined {
  const { path, node } = line;
  const value = inline ?? (next?.kind === 'word' ? next.text : undefined);
  if (isKey(value)) return keyHint;
  const accepted = acceptedBy(node);
  const instead = (name = '') =>
    node.instead?.[`--${name.slice(2)}`]?.replace(/\S*VALUE\S*/, (word) =>
      shellQuote(word.replace('VALUE', () => value ?? '…')),
    );
  const replacement = instead(text);
  if (replacement !== undefined) return replacement;
  if (verbose.has(text)) return didYouMean(['--version', '--debug']);
  const word = line.argv[start] ?? '';
  if (/^-\d/.test(word)) return 'a value cannot be negative';
  if (/^-\w/.test(word) && isFileName(word)) return `if it is a file, write ./${shellQuote(word)}`;
  if (keyNames.has(text)) return keySources;
  const known = new Set(Object.values(accepted).flatMap(namesOf));
  const likely = elsewhere[text]?.find((name) => known.has(name));
  if (likely !== undefined) return didYouMean([likely]);
  const argument = argumentsOf(line).find((name) => text === `--${name}` || (name === 'file' && isFileName(value)));
  if (argument !== undefined) {
    const words = argumentsOf(line).map((one) => (one === argument ? shellQuote(value ?? '…') : `<${one}>`));
    return `pass the ${argument} as an argument: ${[...path, ...words].join(' ')}`;
  }
  // `--csv` for `-o csv`, `--live` for `--mode live`, `--format csv` for `-o csv`.
  const choice = Object.values(accepted).find(({ choices }) => choices?.includes(text.slice(2)));
  if (choice) return didYouMean([`${namesOf(choice)[0]} ${text.slice(2)}`]);
  if (text === '--format' && 'output' in accepted && value !== undefined) return didYouMean([`-o ${value}`]);
  if (isFileName(value)) return fileHint(line, value);
  const names = likelyNames(text, accepted);
  return names.length > 0 ? didYouMean(names) : instead(suggest(text, Object.keys(node.instead ?? {})));
}

/** Options that begin with the name, then those with a part of that name, then a similar one. */
function likelyNames(text: string, params: Params): readonly string[] {
  const names = Object.values(params)
    .filter(({ kind }) => kind === 'option' || kind === 'flag')
    .map(longName);
  const word = text.slice(2);
  const whole = names.filter((name) => name.startsWith(`${text}-`));
  const shared = names.filter((name) =>
    name.split('-').some((one) => one !== '' && (one === word || one === `${word}s`)),
  );
  if (whole.length > 0 || shared.length > 0) return whole.length > 0 ? whole : shared;
  const bare = names.map((name) => name.slice(2));
  return word.length > 1 ? suggestAll(word, bare).map((name) => `--${name}`) : [];
}

function extraArgument(line: Line, typed: readonly Typed[]): CliError {
  const { path } = line;
  const words = wordsOf(typed);
  const before = (word: Typed) => typed[typed.indexOf(word) - 1];
  // `--map Full Name=name`: "Full" cannot be the whole value.
  const torn = words.find((word) => isPair(before(word)) && before(word)?.value?.includes('=') === false);
  const word = torn ?? words[argumentsOf(line).length];
  if (word === undefined) return usage('there are more arguments than this command takes', asUsed(line));
  if (hasRest(line))
    return usage(`"${word.text}" must follow --`, `write ${path.join(' ')} [options] -- ${shellQuote(word.text)} …`);
  const start = typed.indexOf(word);
  const end = typed.findIndex(({ kind }, at) => at > start && kind !== 'word');
  const values = typed.slice(start, end < 0 ? undefined : end).map(({ text }) => text);
  const hint = choiceHint(line, words) ?? extraHint(line, before(word), values);
  return usage(`"${word.text}" is one argument too many`, hint);
}

/** `api POST /path`: a word that is a value of an option. */
function choiceHint({ node }: Line, words: readonly Typed[]): string | undefined {
  for (const param of Object.values(node.params)) {
    const choices = param.kind === 'option' && typeof param.known?.of === 'object' ? param.known.of : [];
    const choice = choices.find((one) => words.some(({ text }) => text.toUpperCase() === one));
    if (choice !== undefined) return didYouMean([`${namesOf(param)[0]} ${choice}`]);
  }
  return undefined;
}

/** `values` are the extra words in a row. */
function extraHint(line: Line, last: Typed | undefined, values: readonly string[]): string {
  const [text = ''] = values;
  if (isKey(text)) return keyHint;
  const pair = Object.values(line.node.params).find((param) => isPair({ param }));
  if ((last?.kind ?? 'word') === 'word' && pair && text.includes('='))
    return didYouMean([`${namesOf(pair)[0]} ${shellQuote(text)}`]);
  if (isFileName(text)) {
    const takesFile = argumentsOf(line).includes('file');
    return takesFile ? 'pass one file at a time' : (fileHint(line, text) ?? asUsed(line));
  }
  if (last?.kind === 'option' && !last.param?.choices) return valuesHint(last, values);
  if (last?.kind === 'flag') {
    const option = Object.values(line.node.params).find(
      (param) => param.kind === 'option' && longName(param).endsWith(last.text.slice(1)),
    );
    const more = option ? `; ${didYouMean([`${longName(option)} ${shellQuote(text)}`])}` : '';
    return `${last.text} takes no value${more}`;
  }
  if (argumentsOf(line).length === 0) return `it takes no argument: ${asUsed(line)}`;
  const repeated = Object.values(line.node.params).find((param) => param.repeats && namesOf(param).length > 1);
  return repeated ? didYouMean([`${namesOf(repeated)[0]} ${shellQuote(text)}`]) : asUsed(line);
}

/** Options of other programs with a key. */
const keyNames: ReadonlySet<string> = new Set(['--api-key', '--apikey', '--key', '--token']);

const keySources =
  'keys are never arguments: bizmsg login stores one in a profile, or set BIZMSG_API_KEY and BIZMSG_BASE_URL';

/** Options of other programs, and what they may be called here. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  '--paginate': ['--all'],
  '--limit': ['--first'],
  '--data': ['--param', '--set', '--field'],
  '-d': ['--param', '--set', '--field'],
};

const keyHint =
  'keys are never arguments: this one is in the history of the shell now, so replace it; pass the new one with BIZMSG_API_KEY, or store it with bizmsg login';

function isKey(text: string | undefined): boolean {
  return text !== undefined && redact(text) !== text;
}

/** The extra words are the rest of a value with spaces, or more values of the same option. */
function valuesHint(option: Typed, words: readonly string[]): string {
  const { text: name, value = '', param } = option;
  const each = [value, ...words].map((word) => `${name} ${shellQuote(word)}`).join(' ');
  const quoted = (all: readonly string[]) => `quote a value that has a space: ${name} ${shellQuote(all.join(' '))}`;
  if (!isPair(option)) {
    const quote = quoted([value, ...words]);
    return param?.repeats ? `${quote}; for several values: ${each}` : quote;
  }
  if (value.includes('=')) return `one ${name} for each: ${each}`;
  const end = words.findIndex((word) => word.includes('='));
  return end < 0 ? `write ${name} ${shellQuote(`${value}=${words[0]}`)}` : quoted([value, ...words.slice(0, end + 1)]);
}

function fileHint({ path, node }: Line, file: string): string | undefined {
  const option = Object.values(node.params).find((param) => param.kind === 'option' && placeholderOf(param) === 'file');
  if (option) return didYouMean([`${longName(option)} ${shellQuote(file)}`]);
  if (!node.accepts.includes('output')) return undefined;
  const ending = /[^.]*$/.exec(file.toLowerCase())?.[0];
  const format = globals.output.choices?.find((one) => one === ending) ?? 'csv';
  return `results go to stdout: ${path.join(' ')} -o ${format} > ${shellQuote(file)}`;
}

function typedIn({ argv, params, node }: Line): readonly Typed[] {
  const all = [...tokens(argv, optionNamed(params))];
  const end = all.findIndex(({ kind }) => kind === 'end');
  if (end < 0) return all;
  return hasRest({ node }) ? all.slice(0, end) : all.filter(({ kind }) => kind !== 'end');
}

function wordsOf(typed: readonly Typed[]): readonly Typed[] {
  return typed.filter(({ kind }) => kind === 'word');
}

/** The names of the command's arguments, such as `file`. */
function argumentsOf({ node }: Line): readonly string[] {
  return Object.values(node.params).flatMap((param) => (param.kind === 'argument' ? placeholderOf(param) : []));
}

/** Whether the value of an option must be `key=value`. */
function isPair(option: Pick<Typed, 'param'> | undefined): boolean {
  return option?.param !== undefined && placeholderOf(option.param).includes('=');
}

/** The command's own options, and the global ones that it accepts. */
function acceptedBy({ params, accepts }: Command): Params {
  const refused = new Set<string>(notAccepted(accepts));
  const accepted = Object.entries(globals).filter(([name]) => !refused.has(name));
  return { ...params, ...Object.fromEntries<Param<unknown>>(accepted) };
}

function hasRest({ node }: Pick<Line, 'node'>): boolean {
  return Object.values(node.params).some(({ kind }) => kind === 'rest');
}

function isFileName(text: string | undefined): text is string {
  return text !== undefined && /.\.(csv|tsv|tab|txt|json|jsonl|ndjson)$/i.test(text);
}

function asUsed({ path, node }: Pick<Line, 'path' | 'node'>): string {
  return `write ${usageLine(path, node)}`;
}

function didYouMean(some: readonly string[]): string {
  const shown = some.slice(0, 3);
  const last = shown.at(-1) ?? '';
  return `did you mean ${shown.length > 1 ? `${shown.slice(0, -1).join(', ')} or ` : ''}${last}?`;
}
