import { countryFlag } from '../runs/mapping/flags.ts';
import { command } from '../cli/command.ts';
import { callOptions } from '../cli/globals.ts';
import { flag, option, repeated, required } from '../cli/params.ts';
import { usage } from '../base/errors.ts';
import { runDetails, runInstead, runParams } from '../runs/options.ts';
import { runView } from '../runs/result.ts';

export const sendBatch = command({
  name: 'send-batch',
  summary: 'Send an approved template to the recipient of every row of a file',
  details: [
    'A --param-column names a column with the values of a variable; a --param is the same for all rows. Give',
    "them in the order of the template's variables. In NDJSON and JSON a column is a field.",
    'A row with an empty param is refused. So is a row with another message for the recipient of an earlier',
    'row. A row that equals an earlier row is skipped.',
    '',
    ...runDetails([
      'With a live key, messages that a finished run has sent are not sent again by accident: the command stops',
      '(exit 11). --new-only sends the other rows; --again sends all rows once more, as a separate run.',
    ]),
  ].join('\n'),
  params: {
    template: required('<template>', 'the name of an approved template'),
    file: required('<file>', 'CSV, TSV, NDJSON or a JSON array, or - for stdin'),
    toColumn: option('--to-column <name>', 'the column with the recipient (to, or else phone)'),
    paramColumns: repeated('--param-column <name>', "a column with the values of the template's next variable"),
    params: repeated('-p, --param <value>', "the value of the template's next variable, the same for all rows"),
    allowEmpty: flag('--allow-empty', 'allow empty params'),
    allowSameRecipient: flag('--allow-same-recipient', 'allow several messages to one recipient'),
    normalise: flag('--normalise', 'bring the recipients into the form +12025550101'),
    country: option('--country <code>', 'the country of numbers that have no country code, such as US', countryFlag),
    ...runParams,
  },
  examples: [
    'send-batch order_update orders.csv --param-column name --param-column order --profile local',
    'send-batch order_update orders.csv --param-column name --param-column order --profile local --dry-run',
    'send-batch order_update orders.csv --param-column name --param A-1042 --rate 20/s --profile local',
    'send-batch welcome crm.csv --to-column Mobile --normalise --country US --profile local',
  ],
  sample: 'Done (simulated): 2 of 2 rows sent in 0.3 s',
  accepts: callOptions,
  piped: 'text',
  instead: {
    ...runInstead,
    '--phone': 'here it is --to-column VALUE --normalise',
    '--map': 'here it is --to-column for the recipient, and --param-column for each variable',
  },
  run: async (context, { template, toColumn, allowEmpty, allowSameRecipient, normalise, country, ...input }, emit) => {
    if (country !== undefined && !normalise) throw usage('--country is given without --normalise', 'add --normalise');
    const { batchJob, refuseSwapped } = await import('../runs/batch.ts');
    const { runJob } = await import('../runs/run.ts');
    const { file, paramColumns, params, ...flags } = input;
    refuseSwapped(template, file);
    const phone = normalise ? { country } : undefined;
    const sources = inOrder(context.typed, paramColumns, params);
    const options = { template, toColumn, params: sources, allowEmpty, allowSameRecipient, phone };
    return runJob(context, batchJob(context, options), { file, ...flags }, emit);
  },
  ...runView,
});

type ParamSource = { readonly column: string } | { readonly value: string };

/** The parser keeps the order within an option, and the words that of both: a value that looks like one is not let in. */
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
    return [column ? { column: text } : { value: text }];
  });
}
