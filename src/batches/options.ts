import { type Condition, condition } from '../base/condition.ts';
import { forOption, usage } from '../base/errors.ts';
import {
  atLeastOne,
  chosen,
  count,
  flag,
  names,
  option,
  orEmpty,
  repeated,
  setting,
  under,
  unlisted,
} from '../cli/params.ts';
import type { BatchRate } from '../session/session.ts';
import type { Resend } from '../store/decide.ts';
import { type Hours, hoursFlag } from './hours.ts';
import type { ContactOptions } from './mapping/contact.ts';
import { countryFlag, defaultFlag, fieldTypes, mapFlag, paramFlag, perFlag, typeFlag } from './mapping/flags.ts';
import type { MessageOptions } from './mapping/message.ts';

/* A batch keeps the texts of most options, and the functions below read them; params read the others. */

export const lists = ['param', 'default', 'map', 'where', 'set', 'type'] as const;
export const texts = ['keep', 'country', 'encoding', 'sheet', 'hours', 'rate'] as const;

/** Options of a batch as typed. It keeps them as JSON, so that they are read again by each command. */
export type Told = { readonly [name in (typeof lists)[number]]?: readonly string[] | undefined } & {
  readonly [name in (typeof texts)[number]]?: string | undefined;
};

export const countryHelp = 'of national numbers: DE, :column, or intl (49170…)';
export const excludeFromHelp = 'never these phones; a list or a report';
export const hoursHelp = 'send only then: "mon-fri 09:00-18:00 Europe/Berlin"';

const fileParams = {
  country: option('--country <code>', countryHelp),
  encoding: option('--encoding <name>', 'the encoding of files, such as windows-1252'),
  sheet: option('--sheet <name>', 'the sheet of a workbook (default: the first)'),
} as const;

const where = repeated('--where <column=value>', 'only those with this value');
const noWhere = flag('--no-where', 'drop the --where that the batch keeps');
const excludeFrom = repeated('--exclude-from <file>', excludeFromHelp);
const first = option('--first <n>', 'until the batch has reached n people; then without it', atLeastOne);
const batch = option('--batch <name>', 'its name; {date} {week} {month} {hour} are filled in');
const hours = option('--hours <hours>', hoursHelp);
const rate = option('--rate <rate>', '20/s, 300/m (in bursts), 50% of plan (default: 90%)');
const atMost = option('--at-most <n>', 'send nothing if more than n would be sent', count);

function resend(rows: readonly Resend[]) {
  return repeated<Resend>('--resend <rows>', `once more: ${rows.join(', ')} rows`, (text) => chosen(text, rows));
}

const file = 'File: CSV, Excel, TSV, NDJSON or JSON; - is stdin';
const pace = 'Pace and safety';

export const batchParams = {
  ...under('Message', {
    param: orEmpty(repeated('-p, --param <value>', 'the next variable: a text, or :column')),
    default: repeated('--default <column=text>', 'the text where a cell is empty'),
    test: option('--test <phone>', 'send only the first message, to yourself'),
  }),
  ...under(file, { map: repeated('--map <column=phone>', 'the column with the phone numbers'), ...fileParams }),
  ...under('People', {
    fromBatch: option('--from-batch <name>', 'who got that batch; name:failed for who did not'),
    excludeFrom,
    where,
    per: option('--per <column>', 'one message per person and value, such as order', perFlag),
    first,
  }),
  ...under('Batch', {
    batch,
    again: flag('--again', 'also people who got this template from another batch'),
    resend: resend(['changed', 'unsure', 'failed']),
  }),
  ...under(pace, { hours, rate, atMost }),
  ...unlisted({
    noExcludeFrom: flag('--no-exclude-from', 'drop the excluded phones that the batch keeps'),
    noWhere,
    noHours: flag('--no-hours', 'drop the --hours that the batch keeps'),
    noMemory: flag('--no-memory', 'send from a machine that keeps no record'),
  }),
} as const;

export const importParams = {
  ...under('Fields', {
    map: repeated('--map <column=field>', 'the field for a column: Mobile=phone'),
    keep: option('--keep <columns>', 'import only these columns: phone,name,city'),
    set: repeated('--set <field=text>', 'set a field of every contact'),
    type: repeated('--type <field=type>', `convert a field: ${fieldTypes.join(', ')}`),
  }),
  ...under(file, fileParams),
  ...under('Rows', { where, first }),
  ...under('Batch', { batch, resend: resend(['unsure', 'failed']) }),
  ...under(pace, { rate, atMost }),
  ...unlisted({ noWhere }),
} as const;

export const resumeParams = { excludeFrom, resend: resend(['unsure', 'failed']), hours, rate, atMost } as const;

/** The column that is mapped to the phone. */
export function phoneIn({ map = [] }: Told): string | undefined {
  return map.find((text) => text.endsWith('=phone'))?.replace(/=phone$/, '');
}

/** How rows become messages, besides template and `--per`. */
export function messageOptionsOf(told: Told): Omit<MessageOptions, 'template' | 'per'> {
  const maps = each('--map', told.map, mapFlag);
  const other = maps.find(({ to }) => to.join('.') !== 'phone');
  if (other)
    throw usage(
      `--map ${other.from}=${other.to.join('.')}: a message has no field ${other.to.join('.')}`,
      '--map COLUMN=phone names the column of the phones; -p :COLUMN sends the value of a column',
    );
  if (maps.length > 1) throw usage('--map names two columns of phones', 'name one');
  return {
    params: each('-p', told.param, paramFlag),
    defaults: each('--default', told.default, defaultFlag),
    phone: maps[0]?.from,
    country: maybe('--country', told.country, countryFlag),
  };
}

/** How rows become contacts. */
export function contactOptionsOf(told: Told): ContactOptions {
  const set = each('--set', told.set, setting);
  const type = each('--type', told.type, typeFlag);
  if (type.some(({ field }) => field.toLowerCase() === 'phone'))
    throw usage('--type names phone, which is a phone number', 'leave it out');
  return {
    map: each('--map', told.map, mapFlag),
    set: set.map(({ key, value }) => ({ path: key, text: value })),
    type,
    keep: maybe('--keep', told.keep, names),
    country: maybe('--country', told.country, countryFlag),
  };
}

export function whereOf(told: Told): readonly Condition[] {
  return each('--where', told.where, (text) => {
    if (!text.includes('=')) throw usage(`"${text}" is not column=value`, 'such as country=DE');
    return condition(text);
  });
}

export function hoursOf(told: Told): Hours | undefined {
  return maybe('--hours', told.hours, hoursFlag);
}

export function rateOf(told: Told): BatchRate | undefined {
  return maybe('--rate', told.rate, rateFlag);
}

/** The rate of a batch, or its share of the plan's minute. A rate per second holds for each second. */
function rateFlag(text: string): BatchRate {
  if (text === 'none') return 'none';
  const [, percent] = /^(\d{1,3}(?:\.\d{1,3})?)%$/.exec(text) ?? [];
  const share = Number(percent);
  if (share > 0 && share <= 100) return { share };
  const [, amount, unit] = /^(\d{1,7})\/([sm])$/.exec(text) ?? [];
  const perWindow = Number(amount);
  if (perWindow > 0) return { perWindow, window: unit === 's' ? 1_000 : 60_000 };
  throw usage(`"${text}" is not a rate`, 'use 300/m, 20/s, 90% or none');
}

function each<T>(name: string, texts: readonly string[] = [], read: (text: string) => T): readonly T[] {
  return texts.map((text) => forOption(name, () => read(text)));
}

function maybe<T>(name: string, text: string | undefined, read: (text: string) => T): T | undefined {
  return text === undefined ? undefined : forOption(name, () => read(text));
}
