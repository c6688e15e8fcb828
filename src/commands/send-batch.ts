import { existsSync } from 'node:fs';
import { usage } from '../base/errors.ts';
import { command, type Context } from '../cli/command.ts';
import { callOptions } from '../cli/globals.ts';
import { argument } from '../cli/params.ts';
import { batchParams, runInstead } from '../runs/options.ts';
import type { DryRunEnded } from '../runs/dry-run.ts';
import { type Ended, runView } from '../runs/result.ts';
import type { AskedBatch, BatchParts } from './batch-prompts.ts';

export const sendBatch = command({
  name: 'send-batch',
  summary: 'Send an approved template to every person in a file',
  details: [
    'On a terminal it asks for what is missing. Repeat the command after an interruption: it sends the rest. Failed rows',
    'go to people.failed.csv beside people.csv, unsure ones to people.unsure.csv.',
  ].join('\n'),
  params: {
    template: argument('[template]', 'the name of an approved template'),
    file: argument('[file]', 'CSV, Excel (.xlsx), TSV, NDJSON or a JSON array, or - for stdin'),
    ...batchParams,
  },
  examples: [
    'send-batch order_update orders.csv -p :name -p :order --profile local',
    'send-batch order_update orders.csv -p :name -p A-1042 --profile local --dry-run',
    'send-batch welcome crm.csv --map Mobile=phone --country US --profile local',
  ],
  sample: 'Done (simulated): 2 of 2 rows sent in 0.3 s',
  accepts: callOptions,
  piped: 'text',
  instead: runInstead,
  run: async (context, { per, excludeFrom, hours, ...typed }, emit) => {
    const [{ batchAction, refuseSwapped }, { runAction }, stored] = await Promise.all([
      import('../runs/batch.ts'),
      import('../runs/run.ts'),
      storedSettings(context),
    ]);
    const { country = stored.country, encoding = stored.encoding } = typed;
    const given = { ...typed, country, encoding, ...inPlaces(typed) };
    const batch = await completed(context, given);
    const { template, file, params, map } = batch;
    refuseSwapped(template, file);
    const action = batchAction(context, {
      template,
      params,
      map,
      per,
      allowEmpty: typed.allowEmpty,
      country: batch.country,
      encoding: batch.encoding,
      excludeFrom: [...[stored.excludeFrom, stored.optOut].filter((file) => file !== undefined), ...excludeFrom],
      hours: hours ?? stored.hours,
    });
    const ran = await runAction(context, action, { ...typed, file, encoding: batch.encoding }, emit);
    return batch.words === undefined ? ran : await withOffer(context, ran, batch.words);
  },
  ...runView,
});

/** A single argument that is a file is the file. */
function inPlaces({ template, file }: Pick<BatchParts, 'template' | 'file'>): Pick<BatchParts, 'template' | 'file'> {
  const isFile = template !== undefined && file === undefined && existsSync(template);
  return isFile ? { template: undefined, file: template } : { template, file };
}

/** Asks a person for what is missing; a script is told. */
async function completed(context: Context, given: BatchParts): Promise<AskedBatch> {
  const { template, file, map, params, country, encoding } = given;
  if (context.interactive && file !== '-') return (await import('./batch-prompts.ts')).askForBatch(context, given);
  const missing = template === undefined ? 'template' : 'file';
  if (template !== undefined && file !== undefined)
    return { template, file, map, params, country, encoding, words: undefined };
  const [what, hint] = [`the ${missing} is missing`, 'bizmsg send-batch <template> <file>; it asks only on a terminal'];
  throw usage(what, hint);
}

/** With the command to copy, once the result was printed. */
async function withOffer(
  context: Context,
  ran: Ended | DryRunEnded,
  words: readonly string[],
): Promise<Ended | DryRunEnded> {
  const { offerCommand } = await import('./batch-prompts.ts');
  if (!('result' in ran)) {
    await offerCommand(context, words, undefined);
    return ran;
  }
  return {
    ...ran,
    async finish(isPrinted) {
      const fault = await ran.finish(isPrinted);
      if (isPrinted && !ran.result.stopped) await offerCommand(context, words, ran.result.sent).catch(ignoreLeft);
      return fault;
    },
  };
}

/** Ctrl-C and Ctrl-D mean no: everything is sent. */
function ignoreLeft(error: unknown): void {
  if (!(error instanceof Error && error.name.endsWith('PromptError'))) throw error;
}

/** The settings of the profile for files of rows; the options of the command come first. */
export async function storedSettings(context: Context) {
  const { currentCaller } = await import('../session/profiles/resolve.ts');
  const caller = currentCaller(context);
  if (caller.kind === 'local') return {};
  const { hours, excludeFrom, optOut, country, encoding } = caller;
  const { hoursFlag } = await import('../runs/hours.ts');
  return { hours: hours === undefined ? undefined : hoursFlag(hours), excludeFrom, optOut, country, encoding };
}
