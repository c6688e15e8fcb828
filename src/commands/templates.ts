import { CliError } from '../base/errors.ts';
import { command, type Context, type Ui } from '../cli/command.ts';
import { callOptions } from '../cli/globals.ts';
import { cell, isRows, type Row } from '../cli/output/rows.ts';
import { knowing, orEmpty, repeated, required } from '../cli/params.ts';
import {
  doubtAbout,
  factsIn,
  factsOf,
  rendered,
  type TemplateFacts,
  templateRecords,
  unknownTemplateHint,
} from '../cli/templates.ts';
import { rememberTemplates } from '../cli/seen.ts';
import { listing, listParams, listView } from './lists.ts';

const listTemplates = command({
  name: 'list',
  summary: 'List the templates',
  params: listParams,
  examples: ['templates list --profile local', 'templates list --profile local --columns name'],
  accepts: callOptions,
  piped: 'rows',
  first: ['name', 'status', 'language', 'body', 'id'],
  run: async (context, input) => {
    const templates = await listing(context, 'listTemplates', input);
    // A partial list must not replace the templates that are remembered.
    if (input.limit === undefined && input.urlParams.length === 0 && isRows(templates))
      rememberTemplates(context, factsOf(templates));
    return templates;
  },
  view: listView('templates'),
});

const showTemplate = command({
  name: 'show',
  summary: 'Show the text of a template, its variables, language and status',
  details: `--param renders the text with values. The API's document does not describe the fields of a template, so
    the command looks for the usual names; without a text it shows the record as the service sends it.`,
  params: {
    name: knowing('templates', required('<name>', 'the name of the template')),
    params: orEmpty(repeated('-p, --param <value>', 'the value of the next variable')),
  },
  examples: [
    'templates show order_update --profile local',
    'templates show order_update -p Ada -p A-1042 --profile local',
  ],
  accepts: callOptions,
  run: async (context, { name, params }) => {
    const records = await templateRecords(await context.client(), context);
    const templates = factsOf(records);
    rememberTemplates(context, templates);
    const facts = templates.find((template) => template.name === name);
    const isNamed = (record: Row) => factsIn(record)?.name === name || (!facts && Object.values(record).includes(name));
    const record = records.find(isNamed);
    if (!record) throw unknown(context, name, templates);
    const doubt = params.length > 0 ? doubtAbout(templates, name, params.length) : undefined;
    if (doubt !== undefined) context.note('template', doubt);
    return { facts, record, message: facts && params.length > 0 ? rendered(facts, params) : undefined };
  },
  data: ({ facts, record, message }) => (facts?.text === undefined ? record : shown(facts, message)),
  view: ({ facts, record, message }, ui) =>
    facts?.text === undefined ? recordLines(record, ui) : factLines(facts, message ?? facts.text, ui),
});

function unknown(context: Context, name: string, templates: readonly TemplateFacts[]): CliError {
  const names = templates.map((template) => template.name);
  const message = `the service does not list a template "${name}"`;
  return new CliError('notFound', 'template-unknown', message, { hint: unknownTemplateHint(context, name, names) });
}

function shown(facts: TemplateFacts, message: string | undefined): object {
  return Object.fromEntries(Object.entries({ ...facts, message }).map(([name, value]) => [name, value ?? null]));
}

function factLines({ name, language, status, variables = [] }: TemplateFacts, text: string, ui: Ui): string {
  const head = [ui.color.bold(name), language, status].filter((part) => part !== undefined).join('  ');
  const names = variables.map((variable, at) => (/^\d+$/.test(variable) ? undefined : `  {{${at + 1}}} ${variable}`));
  return [head, text, ...names.filter((line) => line !== undefined)].join('\n');
}

function recordLines(record: Row, ui: Ui): string {
  return Object.entries(record)
    .map(([name, value]) => `${ui.color.bold(`${name}:`)} ${cell(value)}`)
    .join('\n');
}

export const templatesCommands = [listTemplates, showTemplate];
