import { existsSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { jsonText } from '../base/json.ts';
import { usage } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Context } from '../cli/command.ts';
import { isNational } from '../contract/phone.ts';
import { seenTemplates } from '../cli/seen-templates.ts';
import type { TemplateFacts } from '../cli/templates.ts';
import { messageText } from '../runs/confirm.ts';
import { askForEncoding, openInput } from '../runs/input.ts';
import type { Fields, InputRow } from '../runs/input/row.ts';
import { isZip } from '../runs/input/source.ts';
import { columnNamed, phoneColumns } from '../runs/mapping/columns.ts';
import { createMessageMapping, type MessageMappingOptions, type ParamSource } from '../runs/mapping/message.ts';
import { isPhoneName } from '../runs/mapping/values.ts';
import type { RunFlags } from '../runs/options.ts';
import { currentCaller } from '../session/caller.ts';
import { askForTemplate, listedTemplates, notEmpty } from './message-prompts.ts';
import { askForCountry } from '../cli/phones.ts';

/** The parts of a batch that were typed, or that the profile keeps. */
export interface BatchParts extends Omit<MessageMappingOptions, 'template'>, Pick<RunFlags, 'sheet'> {
  readonly template: string | undefined;
  readonly file: string | undefined;
  readonly encoding: string | undefined;
}

export interface AskedBatch extends Pick<MessageMappingOptions, 'map' | 'country' | 'params'> {
  readonly template: string;
  readonly file: string;
  readonly encoding: string | undefined;
  /** The command line with the answers; undefined if nothing was asked. */
  readonly words: readonly string[] | undefined;
}

/** Rows that are looked at. */
const mostRows = 100;

/** Asks for what a batch lacks, shows three of its messages, and asks whether to send them unless the run does. */
export async function askForBatch(context: Context, given: BatchParts): Promise<AskedBatch> {
  const file = given.file ?? (await context.ask('File with the people', '<file>', readable));
  const known = given.template === undefined ? await listedTemplates(context) : undefined;
  const template = given.template ?? (await askForTemplate(context, known ?? []));
  const { encoding: stored } = given;
  const encoding = stored ?? ((await isZip(file, file)) ? undefined : await askForEncoding(context, file));
  const answers = encoding === stored ? [] : ['--encoding', String(encoding)];
  const input = await openInput({ ...context, note() {} }, file, { ...given, encoding, stop: context.host.signal });
  try {
    const rows = await firstRows(input.source.rows(context.host.signal));
    const columns = input.source.fields ?? Object.keys(rows[0] ?? {});
    const facts = known?.find(({ name }) => name === template);
    const seen = facts ?? seenTemplates(context).find(({ name }) => name === template);
    const isLacking = rows.length > 0 && (seen?.variables ?? []).length > given.params.length;
    const list = isLacking ? (known ?? (await listedTemplates(context))) : known;
    const found = list?.find(({ name }) => name === template);
    const map = given.map?.length ? given.map : await askForPhones(context, columns, rows);
    if (map !== given.map) answers.push(...map.flatMap(({ from }) => ['--map', `${from}=phone`]));
    const params = isLacking && found ? await askForParams(context, found, given, { columns, rows }) : given.params;
    answers.push(...params.slice(given.params.length).flatMap(paramWords));
    const country = given.country ?? (await askIfNational(context, map[0]?.from ?? phoneColumns(columns)[0], rows));
    if (country !== given.country) answers.push('--country', String(country));
    const asked = { template, file, map, params, country, encoding };
    if (given.file !== undefined && given.template !== undefined && answers.length === 0)
      return { ...asked, words: undefined };
    const mapped = await createMessageMapping({ ...given, ...asked }, input.source);
    showMessages(context, rows.map(mapped), found);
    await confirmUnlessLive(context, asked);
    return { ...asked, words: [...wordsWith(context.host.argv, given, asked), ...answers] };
  } finally {
    input.close();
  }
}

/** Prints the command without questions, and offers to write it to a file. */
export async function offerCommand(
  context: Context,
  words: readonly string[],
  sent: number | undefined,
): Promise<void> {
  const caller = currentCaller(context);
  const own = caller.source === 'newcomer' ? ['--profile', 'local'] : [];
  // A live batch from a script needs it.
  const most =
    caller.mode === 'sandbox' || sent === undefined || words.includes('--at-most') ? [] : ['--at-most', String(sent)];
  const all = ['bizmsg', ...[...words, ...own, ...most].map(shellQuote)];
  context.reporter.say(`The same without questions:\n  ${onLines(all, (context.host.stderr.columns || 80) - 5)}`);
  if (sent === undefined) return;
  const file = await context.ask('Write it to a file, such as reminder.sh (empty: no)', '--no-input', (text) => {
    if (text !== '' && existsSync(text)) throw usage(`${text} exists already`, 'choose another name');
  });
  if (file === '') return;
  const script = `#!/bin/sh\ncd ${shellQuote(resolve('.'))} || exit 1\nexec ${all.join(' ')}\n`;
  writeFileSync(file, script, { mode: 0o700, flag: 'wx' });
  context.reporter.say(`Written to ${file}`);
}

/** A command of several lines that can be copied: the terminal would break a longer one anywhere. */
function onLines(words: readonly string[], width: number): string {
  const lines: string[] = [];
  for (const word of words) {
    const line = [...lines.splice(-1), word].join(' ');
    if (line.length > width && line !== word) lines.push(line.slice(0, -word.length - 1), word);
    else lines.push(line);
  }
  return lines.join(' \\\n  ');
}

function readable(path: string): void {
  if (!existsSync(path)) throw usage(`there is no file "${path}"`, 'type its path, such as people.csv');
}

async function firstRows(batches: AsyncIterable<readonly InputRow[]>): Promise<readonly Fields[]> {
  const rows: Fields[] = [];
  for await (const batch of batches) {
    rows.push(...batch.flatMap((row) => ('fields' in row ? [row.fields] : [])));
    if (rows.length >= mostRows) break;
  }
  return rows.slice(0, mostRows);
}

/** Undefined columns have no values, so nothing can be chosen. */
async function askForPhones(context: Context, columns: readonly string[], rows: readonly Fields[]) {
  const likely = phoneColumns(columns);
  if (likely.length === 1 || rows.length === 0) return [];
  const question = likely.length > 1 ? 'Which column has the phones?' : 'No column is named phone. Which one has them?';
  // The likely ones first.
  const all = [...new Set([...columns.filter(isPhoneName), ...columns])];
  const { column } = await context.choose(question, choicesOf(likely.length > 1 ? likely : all, rows));
  return [{ from: column, to: ['phone'] }];
}

/** With three values of each column. */
function choicesOf(columns: readonly string[], rows: readonly Fields[]) {
  const values = (column: string) => rows.slice(0, 3).map((row) => shown(row[column]).slice(0, 20));
  return columns.map((column) => ({ name: `${column} · ${values(column).join(', ')}`, column }));
}

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A column with the name of a variable is taken for it. */
async function askForParams(
  context: Context,
  { variables = [] }: TemplateFacts,
  { params, allowEmpty }: BatchParts,
  { columns, rows }: { readonly columns: readonly string[]; readonly rows: readonly Fields[] },
): Promise<readonly ParamSource[]> {
  const all = [...params];
  for (const [at, name] of variables.entries()) {
    if (at < params.length) continue;
    const label = /^\d+$/.test(name) ? `{{${name}}}` : `{{${at + 1}}} ${name}`;
    const guess = columnNamed(name, columns);
    if (guess !== undefined) context.reporter.say(`${label} ← column ${guess}`);
    const same = { name: 'the same text for all', column: undefined };
    const column = guess ?? (await context.choose(label, [same, ...choicesOf(columns, rows)])).column;
    const value = column === undefined ? await context.ask(label, '--param', allowEmpty ? undefined : notEmpty) : '';
    all.push(column === undefined ? { value } : { column });
  }
  return all;
}

async function askIfNational(context: Context, column: string | undefined, rows: readonly Fields[]) {
  const national = rows.map((row) => shown(row[column ?? ''])).find(isNational);
  return national === undefined ? undefined : askForCountry(context, national);
}

function paramWords(param: ParamSource): readonly string[] {
  if ('column' in param) return ['-p', `:${param.column}`];
  const text = param.value.replace(/^:/, '::');
  return text.startsWith('-') || text === '' ? [`-p=${text}`] : ['-p', text];
}

function showMessages(
  context: Context,
  mapped: readonly ({ readonly body: object } | { readonly reason: string })[],
  template: TemplateFacts | undefined,
): void {
  const good = mapped.flatMap((one) => ('body' in one ? [messageText(jsonText(one.body), template)] : []));
  const bad = mapped.flatMap((one) => ('reason' in one ? [one.reason] : []));
  const lines = good.length > 0 ? good.slice(0, 3) : bad.slice(0, 3);
  context.reporter.say(
    [good.length > 0 ? 'The first messages:' : 'No message:', ...lines.map((line) => `  ${line}`)].join('\n'),
  );
}

/** A live run shows its own question, with all numbers. */
async function confirmUnlessLive(context: Context, { template, file }: Pick<AskedBatch, 'template' | 'file'>) {
  if (context.given.dryRun || currentCaller(context).mode !== 'sandbox') return;
  await context.confirm(`Send ${template} to the people in ${basename(file)}?`);
}

/** The typed words, with template and file in their places. */
function wordsWith(
  argv: readonly string[],
  typed: BatchParts,
  { template, file }: AskedBatch | { template: string; file: string },
) {
  const words = [...argv];
  if (typed.template === undefined)
    words.splice(typed.file === undefined ? words.length : words.indexOf(file), 0, template);
  if (typed.file === undefined) words.push(file);
  return words;
}
