import { profileOption, shellQuote } from '../base/shell-quote.ts';
import { suggest } from '../base/suggest.ts';
import type { Client } from '../client/client.ts';
import { isRecord } from '../contract/readers.ts';
import type { Session, TryLookup } from '../session/session.ts';
import { placeholdersIn, renderedText } from '../contract/template-text.ts';
import { counted } from './output/figures.ts';
import { findRows, type Row } from './output/rows.ts';
import { recordPages } from './record-pages.ts';
import { rememberTemplates, type SeenTemplate, type TemplateText } from './seen.ts';

/** One record of the list of templates. §4 shows none of its fields, so each may be unknown. */
export interface TemplateFacts extends SeenTemplate {
  readonly language: string | undefined;
}

/** The templates that the service lists, which are remembered; empty if it does not show them. */
export async function listedTemplates(session: Session, lookUp: TryLookup): Promise<readonly TemplateFacts[]> {
  let list: readonly TemplateFacts[] = [];
  await lookUp(async (client) => {
    const rows = await templateRecords(client, session);
    const facts = factsOf(rows);
    // A record without a name may be any template.
    if (facts.length === rows.length) list = facts;
  });
  if (list.length > 0) rememberTemplates(session, list);
  return list;
}

export async function templateRecords(
  client: Pick<Client, 'pages'>,
  session: Pick<Session, 'note'>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const page of recordPages(client, session, 'listTemplates', []))
    rows.push(...('whole' in page ? (findRows(page.whole) ?? []) : page.rows));
  return rows;
}

/** The next step for a template that is not there. */
export function unknownTemplateHint({ given }: Session, name: string, names: readonly string[]): string {
  const near = suggest(name, names);
  if (near !== undefined && near !== name) return `did you mean ${shellQuote(near)}?`;
  return `bizmsg templates list${profileOption(given.profile)} shows the templates and their status`;
}

export function factsOf(records: readonly Row[]): readonly TemplateFacts[] {
  return records.flatMap((record) => factsIn(record) ?? []);
}

export function factsIn(row: Row): TemplateFacts | undefined {
  const name = textAt(row, ['name', 'template_name', 'templateName']);
  if (name === undefined) return undefined;
  const text = textAt(row, ['body', 'text', 'content']);
  return {
    name,
    language: textAt(row, ['language', 'lang', 'locale', 'language_code', 'languageCode']),
    status: textAt(row, ['status', 'state', 'approval_status', 'approvalStatus']),
    text,
    variables:
      namesAt(row, ['variables', 'placeholders', 'params']) ?? (text === undefined ? undefined : placeholdersIn(text)),
  };
}

function textAt(row: Row, names: readonly string[]): string | undefined {
  const name = names.find((field) => typeof row[field] === 'string');
  return name === undefined ? undefined : String(row[name]);
}

function namesAt(row: Row, names: readonly string[]): readonly string[] | undefined {
  const list = names.map((field) => row[field]).find((value) => Array.isArray(value));
  return Array.isArray(list) ? list.map((item, at) => nameOf(item) ?? String(at + 1)) : undefined;
}

function nameOf(item: unknown): string | undefined {
  if (typeof item === 'string') return item;
  return isRecord(item) && typeof item['name'] === 'string' ? item['name'] : undefined;
}

/** The message that the recipient reads; undefined if the text is unknown. */
export function rendered({ text, variables = [] }: TemplateText, params: readonly string[]): string | undefined {
  return text === undefined ? undefined : renderedText(text, variables, params);
}

/** Why the service may refuse this template with this number of params; undefined without a known reason. */
export function doubtAbout(list: readonly TemplateFacts[], name: string, params: number): string | undefined {
  if (list.length === 0) return undefined;
  const names = list.map((template) => template.name);
  const { variables, status = '' } = list[names.indexOf(name)] ?? {};
  const near = suggest(name, names);
  if (!names.includes(name))
    return `the service does not list a template "${name}"${near === undefined ? '' : `; did you mean ${shellQuote(near)}?`}`;
  if (variables && variables.length !== params)
    return `the template "${name}" has ${counted(variables.length, 'variable')}, and ${counted(params, 'param')} ${params === 1 ? 'is' : 'are'} given`;
  return /^(?:pending|rejected)$/i.test(status) ? `the template "${name}" is ${status}` : undefined;
}
