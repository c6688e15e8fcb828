import { CliError, usage } from '../base/errors.ts';
import { redact } from '../base/redact.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { announced } from '../contract/endpoints.ts';
import type { Node } from './command.ts';
import { usageOf } from './help.ts';
import { globals } from './globals.ts';
import { optionNamed, type Param, placeholderOf } from './params.ts';

/** A line that commander refused. */
export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[];
  readonly node: Node;
  /** The words after the path, without known options. */
  readonly words: readonly string[];
}

/** The usage error for a line that commander refused. */
export function refusal(refused: Refused): CliError {
  const { code, message, path, node } = refused;
  const [text = '', question = ''] = message.replace(/^error: /, '').split('\n');
  const [, near] = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(question) ?? [];
  const [, name = ''] = /'([^']*)'/.exec(text) ?? [];
  const help = `see ${path.join(' ')} --help`;
  if (code === 'commander.unknownCommand') return unknownCommand(refused, near ?? '', help);
  if (code === 'commander.unknownOption')
    return unknownOption(refused, name, near ? `did you mean ${near}?` : node.kind === 'group' ? afterCommand : help);
  if (code === 'commander.missingArgument') return missingArgument(refused, name);
  if (code === 'commander.excessArguments') return extraArgument(refused);
  const [option = ''] = /--[\w-]+/.exec(name) ?? [];
  return usage(code === 'commander.optionMissingArgument' ? `${option} needs a value` : text, help);
}

const afterCommand = 'put the options of a command after its name';

/** Commands typed by habit, and the ones to type here. */
export const habits: Readonly<Record<string, string>> = {
  activity: 'bizmsg history shows what was sent, bizmsg webhooks list what came in',
  batch: 'did you mean bizmsg send-batch?',
  export: 'did you mean bizmsg contacts export?',
  import: 'did you mean bizmsg contacts import?',
  'keys list': 'did you mean bizmsg profiles list?',
  listen: 'did you mean bizmsg webhooks listen?',
  logs: 'bizmsg sandbox log shows what the sandbox got, bizmsg webhooks list the events',
  messages: 'bizmsg history shows what was sent, bizmsg sandbox log what the sandbox got',
  runs: 'did you mean bizmsg batches list?',
  send: 'bizmsg send-template sends to one person, bizmsg send-batch to many',
};

function unknownCommand({ path, words: [word = ''] }: Refused, near: string, help: string): CliError {
  const habit = habits[[...path.slice(1), word].join(' ')];
  const family = announced.find(({ words }) => path.length === 1 && words.includes(word));
  if (family) {
    const hint = [`coming soon: ${family.features.join(', ')}`, habit].filter(Boolean).join('; ');
    return new CliError('usage', 'announced', `${word}: announced by the API, not available yet`, { hint });
  }
  const question = near === '' ? help : `did you mean ${path.join(' ')} ${near}?`;
  return usage(`"${word}" is not a command of ${path.join(' ')}`, habit ?? question);
}

function unknownOption({ node, words }: Refused, typed: string, hint: string): CliError {
  const [name = '', value] = typed.split('=');
  const params = node.kind === 'command' ? { ...node.params, ...globals } : globals;
  if (value !== undefined && optionNamed(params, name)?.kind === 'flag')
    return usage(`${name} takes no value`, `write ${name} instead of ${typed}`);
  return usage(`unknown option ${name}`, keyHint([name, ...words]) ?? hint);
}

/** Every user of the machine could read a key among the arguments. */
function keyHint(words: readonly string[]): string | undefined {
  if (words.some((word) => redact(word) !== word))
    return 'keys are never arguments: this one is in the history of the shell now, so replace it; pass the new one with BIZMSG_API_KEY, or store it with bizmsg login';
  return words.some((word) => /^--(?:api-?key|key|token)$/.test(word))
    ? 'keys are never arguments: bizmsg login stores one in a profile, or set BIZMSG_API_KEY and BIZMSG_BASE_URL'
    : undefined;
}

function argumentsOf(node: Node): readonly Param<unknown>[] {
  return node.kind === 'group' ? [] : Object.values(node.params).filter(({ kind }) => kind === 'argument');
}

function asUsed({ path, node }: Refused): string {
  return `write ${[...path, ...usageOf(node)].join(' ')}`;
}

function missingArgument(refused: Refused, name: string): CliError {
  const { spec, description } = argumentsOf(refused.node).find((param) => placeholderOf(param) === name) ?? {};
  return usage(`${spec} is missing`, `${asUsed(refused)}\n${spec} is ${description}`);
}

function extraArgument(refused: Refused): CliError {
  const { node, words } = refused;
  const names = argumentsOf(node).map(placeholderOf);
  const word = words[names.length] ?? '';
  const phone = /^(?:\+|00)\d+(?: [\d().-]+)+/.exec(words.slice(names.indexOf('phone')).join(' '))?.[0];
  const takesParams = node.kind === 'command' && 'params' in node.params && !names.includes('file');
  const hint =
    phone && names.includes('phone')
      ? `quote the phone: ${shellQuote(phone)}`
      : takesParams
        ? `did you mean -p ${shellQuote(word)}?`
        : `${asUsed(refused)}, and quote a value that has a space`;
  return usage(`"${word}" is one argument too many`, keyHint([word]) ?? hint);
}
