import { existsSync } from 'node:fs';
import { usage } from '../base/errors.ts';
import { command, type Context } from '../cli/command.ts';
import { whole, zonedTime } from '../cli/output/figures.ts';
import { callOptions } from '../cli/globals.ts';
import { argument } from '../cli/params.ts';
import { batchParams } from '../runs/options.ts';
import type { DryRunEnded } from '../runs/dry-run.ts';
import { type Ended, runView } from '../runs/result.ts';
import type { AskedBatch, BatchParts } from './batch-prompts.ts';

export const sendBatch = command({
  name: 'send-batch',
  summary: 'Send an approved template to every person in a file',
  details: [
    'It asks for what is missing. Repeat it after an interruption: it sends the rest. Failed rows go to people.failed.csv,',
    'unsure ones to people.unsure.csv.',
  ].join('\n'),
  params: {
    template: argument('[template]', 'the name of an approved template'),
    file: argument('[file]', 'CSV, Excel (.xlsx), TSV, NDJSON or JSON; - is stdin'),
    ...batchParams,
  },
  examples: [
    'send-batch order_update orders.csv -p :name -p :order --profile local',
    'send-batch order_update orders.csv -p :name -p A-1042 --profile local --dry-run',
  ],
  sample: 'Done (simulated): 2 of 2 rows sent in 0.3 s',
  accepts: callOptions,
  piped: 'text',
  run: async (context, { per, excludeFrom, hours, ...typed }, emit) => {
    const [{ batchAction, refuseSwapped }, { runAction }, { withDefaults }] = await Promise.all([
      import('../runs/batch.ts'),
      import('../runs/run.ts'),
      import('../runs/defaults.ts'),
    ]);
    const settings = withDefaults(context, { country: typed.country, encoding: typed.encoding, hours, excludeFrom });
    const { country, encoding } = settings;
    const batch = await completed(context, { ...typed, country, encoding, ...inPlaces(typed) });
    const { template, file, words, ...answers } = batch;
    refuseSwapped(template, file);
    const { allowEmpty } = typed;
    const optOuts = settings.optOut === undefined ? [] : [await optOutsText(settings.optOut)];
    const origin = [settings.origin ?? [], optOuts].flat().join('; ') || undefined;
    const action = batchAction(context, { template, per, allowEmpty, ...settings, ...answers, origin });
    const ran = await runAction(context, action, { ...typed, file, encoding: batch.encoding }, emit);
    return words === undefined ? ran : await withOffer(context, ran, words);
  },
  ...runView,
});

async function optOutsText(file: string): Promise<string> {
  const { count, last } = (await import('../webhooks/opt-out.ts')).optOutsIn(file);
  const people = count === 1 ? '1 opt-out' : `${whole(count)} opt-outs`;
  return last === undefined ? people : `${people}, the last at ${zonedTime(last)}`;
}

/** A single argument that is a file is the file. */
function inPlaces({ template, file }: Pick<BatchParts, 'template' | 'file'>): Pick<BatchParts, 'template' | 'file'> {
  const isFile = template !== undefined && file === undefined && existsSync(template);
  return isFile ? { template: undefined, file: template } : { template, file };
}

/** Asks a person for what is missing; a script gets an error. */
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
