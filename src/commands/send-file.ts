import { existsSync } from 'node:fs';
import { usage } from '../base/errors.ts';
import { batchParams, importParams, resumeParams } from '../batches/options.ts';
import { batchView } from '../batches/view.ts';
import { command, type Context } from '../cli/command.ts';
import { callOptions } from '../cli/globals.ts';
import { argument, knowing } from '../cli/params.ts';
import { optionalName } from './batches/stored.ts';

const fileParam = argument('[file]', 'CSV, Excel (.xlsx), TSV, NDJSON or JSON; - is stdin');

export const sendBatch = command({
  name: 'send-batch',
  summary: 'Send a message to every person of a file',
  details: `It asks for what is missing, and can be repeated: in one batch each person gets one message.
    --no-exclude-from, --no-where and --no-hours drop what it keeps.`,
  params: {
    template: knowing('templates', argument('[template]', 'the name of an approved template')),
    file: fileParam,
    ...batchParams,
  },
  examples: [
    'send-batch order_update orders.csv -p :name -p :order --profile local',
    'send-batch welcome people.csv --profile local --dry-run',
  ],
  accepts: callOptions,
  run: async (context, { template: first, file: second, ...options }, emit) => {
    const { sendFile } = await import('../batches/send-file.ts');
    const completed = await complete(context, first, second, options.fromBatch);
    return sendFile(context, { command: 'send-batch', ...options, ...completed }, emit);
  },
  ...batchView,
});

export const importContacts = command({
  name: 'import',
  summary: 'Create a contact for every row of a file',
  details: `Each column becomes the field of the same name, unless --map renames it. Empty cells are left out. In a
    field name, a dot makes an object: attributes.city. Repeat the command as often as you like: each contact is
    created once.`,
  params: {
    file: fileParam,
    ...importParams,
  },
  examples: [
    'contacts import people.csv --profile local',
    'contacts import people.csv --profile local --dry-run',
    'contacts import crm.csv --map Mobile=phone --country US --type tags=list:semicolon --profile local',
  ],
  accepts: callOptions,
  run: async (context, { file: typed, ...options }, emit) => {
    const isAsked = typed === undefined;
    if (isAsked && !context.interactive)
      throw usage('the file is missing', 'bizmsg contacts import <file>; it asks only on a terminal');
    const [{ sendFile }, { askForFile }] = await Promise.all([
      import('../batches/send-file.ts'),
      import('../batches/ask.ts'),
    ]);
    const file = typed ?? (await askForFile(context));
    return sendFile(context, { command: 'contacts import', template: '', file, isAsked, ...options }, emit);
  },
  ...batchView,
});

export const resumeBatch = command({
  name: 'resume',
  summary: 'Send what waits in a batch, without its file',
  details: 'The people and their texts cannot change. Without a name, the only batch that waits goes on.',
  params: { name: optionalName, ...resumeParams },
  examples: ['batches resume autumn --at-most 177', 'batches resume autumn --resend unsure --at-most 2'],
  accepts: callOptions.filter((name) => name !== 'dryRun'),
  run: async (context, options, emit) => {
    const { resume } = await import('../batches/resume.ts');
    return resume(context, options, emit);
  },
  ...batchView,
});

/** Asks a person for the template and the file; a script gets an error. A single argument that is a file is the file. */
async function complete(context: Context, first?: string, second?: string, fromBatch?: string) {
  const isFile = first !== undefined && second === undefined && existsSync(first);
  const [template, file] = isFile ? [undefined, first] : [first, second];
  if (file !== undefined && fromBatch !== undefined)
    throw usage('--from-batch and a file are both given', 'leave one of them out');
  const hasPeople = file !== undefined || fromBatch !== undefined;
  if (template !== undefined && hasPeople) return { template, file, isAsked: false };
  if (!context.interactive)
    throw usage(
      `the ${template === undefined ? 'template' : 'file'} is missing`,
      'bizmsg send-batch <template> <file>; it asks only on a terminal',
    );
  const [{ askForTemplate }, { listedTemplates }, { askForFile }] = await Promise.all([
    import('./message-prompts.ts'),
    import('../cli/templates.ts'),
    import('../batches/ask.ts'),
  ]);
  const people = hasPeople ? file : await askForFile(context);
  const chosen = template ?? (await askForTemplate(context, await listedTemplates(context, context.tryLookup)));
  return { template: chosen, file: people, isAsked: true };
}
