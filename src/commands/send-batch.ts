import { existsSync } from 'node:fs';
import { usage } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { batchParams } from '../batches/options.ts';
import { batchView } from '../batches/view.ts';
import { command, type Context } from '../cli/command.ts';
import { callOptions } from '../cli/globals.ts';
import { argument, knowing } from '../cli/params.ts';

export const sendBatch = command({
  name: 'send-batch',
  summary: 'Send a message to every person of a file',
  details: `It asks for what is missing, and can be repeated: in one batch each person gets one message.
    --no-exclude-from, --no-where and --no-hours drop what it keeps.`,
  params: {
    template: knowing('templates', argument('[template]', 'the name of an approved template')),
    file: argument('[file]', 'CSV, Excel (.xlsx), TSV, NDJSON or JSON; - is stdin'),
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

/** Asks a person for the template and the file; a script gets an error. A single argument that is a file is the file. */
async function complete(context: Context, first?: string, second?: string, fromBatch?: string) {
  const isFile = first !== undefined && second === undefined && existsSync(first);
  const [template, file] = isFile ? [undefined, first] : [first, second];
  if (file !== undefined && fromBatch !== undefined)
    throw usage('--from-batch and a file are both given', 'leave one of them out');
  const hasPeople = file !== undefined || fromBatch !== undefined;
  if (template !== undefined && hasPeople) {
    if (file !== undefined) refuseSwapped(template, file);
    return { template, file, isAsked: false };
  }
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

/** A template is unlikely to have the name of an existing file. */
function refuseSwapped(template: string, file: string): void {
  if (file === '-' || existsSync(file) || !existsSync(template)) return;
  const right = `bizmsg send-batch ${shellQuote(file)} ${shellQuote(template)}`;
  throw usage(`"${file}" is not a file, and "${template}" is one`, `the template comes first, then the file: ${right}`);
}
