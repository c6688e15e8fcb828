import { isRecord } from '../contract/readers.ts';
import type { Client } from '../client/client.ts';
import type { Context } from './command.ts';
import { findRows, type Row } from './output/rows.ts';
import { recordPages } from './record-pages.ts';

/** What the list of templates says about one. §4 shows none of its fields, so each may be unknown. */
export interface TemplateFacts {
  readonly name: string;
  readonly language: string | undefined;
  readonly status: string | undefined;
  /** With a placeholder for each variable: {{1}}, {{2}}. */
  readonly text: string | undefined;
  /** The names of its variables, in order. */
  readonly variables: readonly string[] | undefined;
}

/** The templates that the service lists; undefined if its records have no names. */
export async function templatesOf(
  client: Pick<Client, 'pages'>,
  context: Pick<Context, 'note'>,
): Promise<readonly TemplateFacts[] | undefined> {
  const found: Row[] = [];
  for await (const page of recordPages(client, context, 'listTemplates', []))
    found.push(...('whole' in page ? (findRows(page.whole) ?? []) : page.rows));
  const known = found.flatMap((row) => factsIn(row) ?? []);
  return known.length < found.length ? undefined : known;
}

function factsIn(row: Row): TemplateFacts | undefined {
  const name = textAt(row, ['name', 'template_name', 'templateName']);
  if (name === undefined) return undefined;
  const text = textAt(row, ['body', 'text', 'content']);
  return {
    name,
    language: textAt(row, ['language', 'lang', 'locale', 'language_code', 'languageCode']),
    status: textAt(row, ['status', 'state', 'approval_status', 'approvalStatus']),
    text,
    variables: namesAt(row, ['variables', 'placeholders', 'params']) ?? placeholdersIn(text),
  };
}

function textAt(row: Row, names: readonly string[]): string | undefined {
  const name = names.find((one) => typeof row[one] === 'string');
  return name === undefined ? undefined : String(row[name]);
}

function namesAt(row: Row, names: readonly string[]): readonly string[] | undefined {
  const list = names.map((one) => row[one]).find((value) => Array.isArray(value));
  if (!Array.isArray(list)) return undefined;
  return list.map((item, index) => nameOf(item) ?? String(index + 1));
}

function nameOf(item: unknown): string | undefined {
  if (typeof item === 'string') return item;
  return isRecord(item) && typeof item['name'] === 'string' ? item['name'] : undefined;
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

function placeholdersIn(text: string | undefined): readonly string[] | undefined {
  return text === undefined ? undefined : [...new Set([...text.matchAll(placeholder)].map(([, name = '']) => name))];
}

/** The message that the recipient reads; undefined if the text is unknown. A variable without a value stays as it is. */
export function rendered({ text, variables = [] }: TemplateFacts, params: readonly string[]): string | undefined {
  return text?.replace(placeholder, (whole, name: string) => {
    const position = /^\d+$/.test(name) ? Number(name) - 1 : variables.indexOf(name);
    return params[position] ?? whole;
  });
}

/** Why the service may refuse this template with this number of params; undefined without a known reason. */
export function doubtAbout(list: readonly TemplateFacts[], name: string, params: number): string | undefined {
  const found = list.find((one) => one.name === name);
  if (!found) return list.length === 0 ? undefined : `the service does not list a template "${name}"`;
  const { variables, status } = found;
  if (variables && variables.length !== params)
    return `the template "${name}" has ${counted(variables.length, 'variable')}, and each row gives ${counted(params, 'param')}`;
  return status !== undefined && /^(?:pending|rejected)$/i.test(status)
    ? `the template "${name}" is ${status}`
    : undefined;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
