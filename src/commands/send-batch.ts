import { command, type Context } from '../cli/command.ts';
import { callOptions } from '../cli/globals.ts';
import { required } from '../cli/params.ts';
import { batchParams, runInstead } from '../runs/options.ts';
import { runView } from '../runs/result.ts';

export const sendBatch = command({
  name: 'send-batch',
  summary: 'Send an approved template to every person in a file',
  details: [
    'Repeat the command after an interruption: it sends the rest. Nobody gets a template twice by accident: bizmsg',
    'help twice. Failed rows go to people.failed.csv beside people.csv, unsure ones to people.unsure.csv.',
  ].join('\n'),
  params: {
    template: required('<template>', 'the name of an approved template'),
    file: required('<file>', 'CSV, Excel (.xlsx), TSV, NDJSON or a JSON array, or - for stdin'),
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
  run: async (context, { template, params, map, per, excludeFrom, hours, country, allowEmpty, ...input }, emit) => {
    const [{ batchAction, refuseSwapped }, { runAction }, stored] = await Promise.all([
      import('../runs/batch.ts'),
      import('../runs/run.ts'),
      storedSettings(context),
    ]);
    refuseSwapped(template, input.file);
    const encoding = input.encoding ?? stored.encoding;
    const action = batchAction(context, {
      template,
      params,
      map,
      per,
      allowEmpty,
      country: country ?? stored.country,
      encoding,
      excludeFrom: [...[stored.excludeFrom, stored.optOut].filter((file) => file !== undefined), ...excludeFrom],
      hours: hours ?? stored.hours,
    });
    return runAction(context, action, { ...input, encoding }, emit);
  },
  ...runView,
});

/** The settings of the profile for files of rows; the options of the command come first. */
export async function storedSettings(context: Context) {
  const { currentCaller } = await import('../session/profiles/resolve.ts');
  const caller = currentCaller(context);
  if (caller.kind === 'local') return {};
  const { hours, excludeFrom, optOut, country, encoding } = caller;
  const { hoursFlag } = await import('../runs/hours.ts');
  return { hours: hours === undefined ? undefined : hoursFlag(hours), excludeFrom, optOut, country, encoding };
}
