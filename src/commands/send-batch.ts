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
  details: [
    'It asks for what is missing, and can be repeated: in one batch each person gets one message. --no-exclude-from,',
    '--no-where and --no-hours drop what it keeps.',
  ].join('\n'),
  params: {
    template: knowing('templates', argument('[template]', 'the name of an approved template')),
    file: argument('[file]', 'CSV, Excel (.xlsx), TSV, NDJSON or JSON; - is stdin'),
    ...batchParams,
  },
  examples: [
    'send-batch order_update orders.csv -p :name -p :order --profile local',
    'send-batch welcome people.csv --profile local --dry-run',
  ],
  sample: 'Batch orders (simulated): 2 of 2 have the message, 0.3 s',
  accepts: callOptions,
  piped: 'text',
  run: async (context, { template: first, file: second, ...options }, emit) => {
    const { sendFile } = await import('../batches/send-file.ts');
    const completed = await complete(context, inPlaces(first, second), options.fromBatch);
    return sendFile(context, { command: 'send-batch', ...options, ...completed }, emit);
  },
  ...batchView,
});

interface Places {
  readonly template: string | undefined;
  readonly file: string | undefined;
}

/** A single argument that is a file is the file. */
function inPlaces(template: string | undefined, file: string | undefined): Places {
  const isFile = template !== undefined && file === undefined && existsSync(template);
  return isFile ? { template: undefined, file: template } : { template, file };
}

interface Completed {
  readonly template: string;
  readonly file: string | undefined;
  readonly isAsked: boolean;
}

/** Asks a person for the template and the file; a script gets an error. */
async function complete(
  context: Context,
  { template, file }: Places,
  fromBatch: string | undefined,
): Promise<Completed> {
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
  const [{ askForTemplate, listedTemplates }, { askForFile }] = await Promise.all([
    import('./message-prompts.ts'),
    import('../batches/ask.ts'),
  ]);
  const people = hasPeople ? file : await askForFile(context);
  return {
    file: people,
    template: template ?? (await askForTemplate(context, await listedTemplates(context))),
    isAsked: true,
  };
}

/** A template is unlikely to have the name of an existing file. */
function refuseSwapped(template: string, file: string): void {
  if (file === '-' || existsSync(file) || !existsSync(template)) return;
  const right = `bizmsg send-batch ${shellQuote(file)} ${shellQuote(template)}`;
  throw usage(`"${file}" is not a file, and "${template}" is one`, `the template comes first, then the file: ${right}`);
}
