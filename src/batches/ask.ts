import { existsSync } from 'node:fs';
import { redact } from '../base/redact.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Context } from '../cli/command.ts';
import { askForCountry } from '../cli/phones.ts';
import type { TemplateFacts } from '../cli/templates.ts';
import { isNational } from '../contract/phone.ts';
import { currentCaller } from '../session/caller.ts';
import { local } from '../session/profiles/fields.ts';
import { usage } from '../base/errors.ts';
import type { Input } from './input/input.ts';
import { columnNamed, isPhoneName, usualPhoneColumns } from './mapping/columns.ts';
import { phoneIn, type Told } from './options.ts';

export interface Asking {
  readonly kind: 'message' | 'import';
  readonly told: Told;
  readonly input: Pick<Input, 'first'>;
  readonly columns: readonly string[];
  readonly facts: TemplateFacts | undefined;
  /** Keys, which are not shown. */
  readonly secrets: readonly string[];
}

export function askForFile(context: Context): Promise<string> {
  return context.ask('File with the people', '<file>', (path) => {
    if (!existsSync(path)) throw usage(`there is no file "${path}"`, 'type its path, such as people.csv');
  });
}

/** Asks a person for the options that a file needs, and that are missing. */
export async function askForMissing(context: Context, asking: Asking): Promise<Told> {
  const { kind, told, input, columns, facts } = asking;
  if (!context.interactive || input.first.length === 0) return {};
  const values = (column: string) => input.first.map(({ fields }) => redact(shown(fields[column]), asking.secrets));
  const map = await askForPhones(context, asking, { columns, values });
  const phone = phoneIn({ ...told, ...map }) ?? likelyPhones(kind, columns)[0];
  const param = kind === 'message' && facts ? await askForParams(context, facts, told, { columns, values }) : undefined;
  const country = told.country ?? (await askIfNational(context, phone === undefined ? [] : values(phone)));
  return {
    ...map,
    ...(param && { param }),
    ...(country !== undefined && told.country === undefined && { country }),
  };
}

interface Answered {
  readonly command: string;
  /** The arguments, and those of them that were typed, as they were. */
  readonly names: readonly string[];
  readonly typed: readonly (string | undefined)[];
  /** The options for the answers of a person. */
  readonly options: readonly string[];
}

/** Prints the command line that asks nothing: the arguments, the options as typed, then the answers. */
export function sayCommand(context: Context, { command, names, typed, options }: Answered): void {
  const others = [...context.host.argv];
  for (const word of [...command.split(' '), ...typed])
    if (word !== undefined && others.includes(word)) others.splice(others.indexOf(word), 1);
  const isNewcomer = currentCaller(context).source === 'newcomer';
  const profile = isNewcomer ? ['--profile', local] : [];
  const words = ['bizmsg', ...command.split(' '), ...names, ...others, ...options, ...profile];
  context.reporter.say(`Without questions:\n  ${words.map(shellQuote).join(' ')}`);
}

/** The options for the answers of a person. */
export function answerWords(asked: Told, before: Told): readonly string[] {
  const added = (name: 'map' | 'param') => (asked[name] ?? []).slice(before[name]?.length ?? 0);
  return [
    ...added('map').flatMap((text) => ['--map', text]),
    ...added('param').flatMap((text) => ['-p', text]),
    ...(['country', 'encoding'] as const).flatMap((name) =>
      asked[name] === undefined || before[name] !== undefined ? [] : [`--${name}`, asked[name]],
    ),
  ];
}

interface Columns {
  readonly columns: readonly string[];
  values(column: string): readonly string[];
}

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Another column of an import is a field of its own name. */
function likelyPhones(kind: Asking['kind'], columns: readonly string[]): readonly string[] {
  const usual = usualPhoneColumns(columns);
  return kind === 'import' ? usual.filter((name) => name.trim().toLowerCase() === 'phone') : usual;
}

async function askForPhones(context: Context, { told, kind }: Asking, { columns, values }: Columns): Promise<Told> {
  const likely = likelyPhones(kind, columns);
  const isSet = (told.set ?? []).some((text) => text.startsWith('phone='));
  if (phoneIn(told) !== undefined || isSet || likely.length === 1) return {};
  // An import may have a field of another name for them.
  if (kind === 'import' && (told.map ?? []).some((text) => isPhoneName(text.slice(text.lastIndexOf('=') + 1))))
    return {};
  const question = likely.length > 1 ? 'Which column has the phones?' : 'No column is named phone. Which one has them?';
  const all = [...new Set([...columns.filter(isPhoneName), ...columns])];
  const { column } = await context.choose(question, choicesOf(likely.length > 1 ? likely : all, values));
  return { map: [...(told.map ?? []), `${column}=phone`] };
}

/** With three values of each column. */
function choicesOf(columns: readonly string[], values: Columns['values']) {
  const some = (column: string) =>
    values(column)
      .filter((value) => value !== '')
      .slice(0, 3)
      .map((value) => value.slice(0, 20));
  return columns.map((column) => ({ name: `${column} · ${some(column).join(', ')}`, short: column, column }));
}

/** A column with the name of a variable is taken for it. */
async function askForParams(
  context: Context,
  facts: TemplateFacts,
  { param = [] }: Told,
  { columns, values }: Columns,
): Promise<readonly string[] | undefined> {
  const { variables = [] } = facts;
  if (variables.length <= param.length) return undefined;
  if (facts.text !== undefined) context.reporter.say(`${facts.name} · ${facts.text}`);
  const all = [...param];
  for (const [at, name] of variables.entries()) {
    if (at < param.length) continue;
    const label = variableText(name, at);
    const guess = columnNamed(name, columns);
    if (guess !== undefined) context.reporter.say(`${label} ← column ${guess}`);
    const same = { name: 'the same text for all', short: 'the same text for all', column: undefined };
    const column = guess ?? (await context.choose(label, [same, ...choicesOf(columns, values)])).column;
    all.push(
      column === undefined ? textParam(await context.ask('The text for all', '--param', notEmpty)) : `:${column}`,
    );
  }
  return all;
}

/** `{{1}} name`, or `{{1}}` for a variable without a name. */
export function variableText(name: string, at: number): string {
  return /^\d+$/.test(name) ? `{{${name}}}` : `{{${at + 1}}} ${name}`;
}

/** Of a batch, where a colon begins the name of a column. */
export function textParam(text: string): string {
  return text.startsWith(':') ? `:${text}` : text;
}

export function notEmpty(text: string): void {
  if (text === '') throw usage('the value is empty', 'Ctrl-C cancels; -p= sends an empty text');
}

/** A shorter one is a mistake, which needs no country. */
const shortestNational = 7;

async function askIfNational(context: Context, phones: readonly string[]): Promise<string | undefined> {
  const national = phones.find((phone) => isNational(phone) && phone.replace(/\D/gu, '').length >= shortestNational);
  return national === undefined ? undefined : askForCountry(context, national);
}
