import { countryFlag } from '../runs/mapping/flags.ts';
import { command, type Context } from '../cli/command.ts';
import { callOptions } from '../cli/globals.ts';
import { allowEmpty, flag, option, repeated, required } from '../cli/params.ts';
import type { BatchOptions } from '../runs/batch.ts';
import { hoursFlag } from '../runs/hours.ts';
import type { ParamSource } from '../runs/mapping/message.ts';
import { batchParams, excludeFromText, hoursHelp, runDetails, runInstead } from '../runs/options.ts';
import { runView } from '../runs/result.ts';

export const sendBatch = command({
  name: 'send-batch',
  summary: 'Send an approved template to every recipient in a file',
  details: [
    '--param-column takes the value of a variable from a column; --param uses the same value for all rows. Give',
    "them in the order of the template's variables. In NDJSON and JSON a column is a field. If the file has a",
    'column called name, -p name is refused; --param=name means the word.',
    'A row with an empty param fails. A row that equals an earlier row is skipped. Two different messages for one',
    'recipient need --per with a column that differs, such as the order.',
    '',
    ...runDetails([
      'Nobody gets a template twice by accident: with a live key, the command asks, or stops (exit 11), if people',
      'got the template before. --skip-sent sends the other rows; --again sends all rows once more.',
    ]),
  ].join('\n'),
  params: {
    template: required('<template>', 'the name of an approved template'),
    file: required('<file>', 'CSV, TSV, NDJSON or a JSON array, or - for stdin'),
    toColumn: option('--to-column <name>', 'the column with the recipient (default: to, or phone)'),
    paramColumns: repeated('--param-column <name>', "a column with the values of the template's next variable"),
    params: repeated('-p, --param <value>', "the value of the template's next variable, the same for all rows"),
    allowEmpty,
    normalize: flag('--normalize', 'normalize phones to the form +12025550101'),
    country: option(
      '--country <code>',
      'normalize phones; the country of those without a country code, such as US',
      countryFlag,
    ),
    excludeFrom: option('--exclude-from <file>', excludeFromText),
    hours: option('--hours <hours>', hoursHelp, hoursFlag),
    ...batchParams,
  },
  examples: [
    'send-batch order_update orders.csv --param-column name --param-column order --profile local',
    'send-batch order_update orders.csv --param-column name --param-column order --profile local --dry-run',
    'send-batch order_update orders.csv --param-column name --param A-1042 --rate 20/s --profile local',
    'send-batch welcome crm.csv --to-column Mobile --country US --profile local',
  ],
  sample: 'Done (simulated): 2 of 2 rows sent in 0.3 s',
  accepts: callOptions,
  piped: 'text',
  instead: {
    ...runInstead,
    '--phone': 'use --to-column VALUE --normalize',
    '--map': 'use --to-column for the recipient, and --param-column for each variable',
  },
  run: async (context, { template, toColumn, allowEmpty, normalize, country, ...input }, emit) => {
    const { batchAction, refuseSwapped } = await import('../runs/batch.ts');
    const { runAction } = await import('../runs/run.ts');
    const { file, paramColumns, params, per, excludeFrom, hours, ...flags } = input;
    refuseSwapped(template, file);
    const phone = normalize || country !== undefined ? { country } : undefined;
    const sources = inOrder(context.host.argv, paramColumns, params);
    const limits = { ...(await storedLimits(context)), ...(excludeFrom && { excludeFrom }), ...(hours && { hours }) };
    const options = { template, toColumn, params: sources, per, allowEmpty, phone, ...limits };
    return runAction(context, batchAction(context, options), { file, ...flags }, emit);
  },
  ...runView,
});

/** The hours and the excluded phones of the profile; the options of the command replace them. */
async function storedLimits(context: Context): Promise<Pick<BatchOptions, 'hours' | 'excludeFrom'>> {
  const { currentCaller } = await import('../session/profiles/resolve.ts');
  const caller = currentCaller(context);
  if (caller.kind === 'local') return {};
  const { hours, excludeFrom } = caller;
  return { hours: hours === undefined ? undefined : hoursFlag(hours), excludeFrom };
}

/** Restores the order of --param-column and --param among each other from the words as typed. */
function inOrder(
  typed: readonly string[],
  columns: readonly string[],
  values: readonly string[],
): readonly ParamSource[] {
  const left = { columns: [...columns], values: [...values] };
  return typed.flatMap((word): readonly ParamSource[] => {
    const [column, value] = [/^--param-column(=|$)/.test(word), /^(--param(=|$)|-p)/.test(word)];
    const text = column ? left.columns.shift() : value ? left.values.shift() : undefined;
    if (text === undefined) return [];
    return [column ? { column: text } : { value: text, isWord: word.includes('=') }];
  });
}
