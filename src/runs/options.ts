import { resolve } from 'node:path';
import {
  atLeastOne,
  columns,
  count,
  flag,
  type Input,
  option,
  optionalValue,
  orEmpty,
  repeated,
  setting,
  span,
  under,
} from '../cli/params.ts';
import type { RunRate } from '../session/rate.ts';
import { unsafe, usage } from '../base/errors.ts';
import { redact } from '../base/redact.ts';
import type { Context } from '../cli/command.ts';
import type { Choice } from '../ledger/ledger.ts';
import { hoursFlag } from './hours.ts';
import { countryFlag, fieldTypes, mapFlag, typeFlag } from './mapping/flags.ts';
import { paramFlag } from './mapping/message.ts';
import { whereFlag } from './mapping/where.ts';

/** `--skip-sent` alone. */
const usualSpan = '30d';

export const countryHelp = 'of national numbers: DE, :column, or intl (49170…)';

const columnParams = {
  map: repeated('--map <column=field>', 'the field for a column: Mobile=phone', mapFlag),
  country: option('--country <code>', countryHelp, countryFlag),
  encoding: option('--encoding <name>', 'the encoding of files, such as windows-1252'),
  sheet: option('--sheet <name>', 'the sheet of an Excel workbook (default: the first)'),
} as const;

const where = repeated('--where <column=value>', 'only those with this value in a column', whereFlag);

const whichParams = {
  first: option('--first <n>', 'only the first n rows; repeat without it for the rest', atLeastOne),
  again: flag('--again', 'send all once more; in a live script only with --job'),
  job: option('--job <name>', 'a name under which each row is sent only once', jobName),
  continue: flag('--continue', 'continue a run that was idle, or has other texts'),
  retryUnsure: flag('--retry-unsure', 'send rows once more that may have been sent'),
} as const;

const whenParams = {
  /** Decides in tests how many requests are in flight; it has no other use. */
  concurrency: { ...option('--concurrency <n>', 'requests in flight', atLeastOne), isHidden: true },
  rate: option('--rate <rate>', 'at 20/s, 300/m, 50% of the plan, none (default: 90%)', runRate),
} as const;

const safetyParams = {
  atMost: option('--at-most <n>', 'stop if more than n rows would be sent', count),
} as const;

/** The limits of a batch, as options or kept in a profile. */
export const excludeFromText = 'never message the phones in this file';
export const hoursHelp = 'send only then: "mon-fri 09:00-18:00 Europe/Berlin"';

export const importParams = {
  ...under('Columns', {
    ...columnParams,
    set: repeated('--set <field=text>', 'set a field of every contact', setting),
    type: repeated('--type <field=type>', `convert a field: ${fieldTypes.join(', ')}`, typeFlag),
    keep: option('--keep <columns>', 'import only these columns: phone,name', columns),
  }),
  ...under('Which rows', { where, ...whichParams }),
  ...under('Pace and safety', { ...whenParams, ...safetyParams }),
} as const;

export const batchParams = {
  ...under('Columns', {
    params: orEmpty(repeated('-p, --param <value>', 'the next variable: a text, or :column', paramFlag)),
    ...columnParams,
    allowEmpty: flag('--allow-empty', 'allow cells without a text'),
  }),
  ...under('Who', {
    excludeFrom: repeated('--exclude-from <file>', excludeFromText),
    where,
    per: repeated('--per <column>', 'one message per person and value'),
  }),
  ...under('Which rows', {
    skipSent: optionalValue(
      '--skip-sent [=time]',
      `skip who got it within this time (default: ${usualSpan})`,
      usualSpan,
      skipSpan,
    ),
    ...whichParams,
  }),
  ...under('Pace and safety', {
    hours: option('--hours <hours>', hoursHelp, hoursFlag),
    ...whenParams,
    ...safetyParams,
  }),
} as const;

type Batch = Input<typeof batchParams>;
export type RunFlags = Omit<Input<typeof importParams>, 'map' | 'country' | 'set' | 'type' | 'keep'> &
  Partial<Pick<Batch, 'skipSent'>>;

export function checkChoice({ skipSent, again }: RunFlags): void {
  if (skipSent !== undefined && again)
    throw usage('--skip-sent and --again contradict each other', 'leave one of them out');
}

/** Repeating a live command by a script would send all rows again and again. */
export function checkRepeatable(
  { again, job }: RunFlags,
  isLive: boolean,
  { interactive }: Pick<Context, 'interactive'>,
): void {
  if (!again || job !== undefined || !isLive || interactive) return;
  const hint = 'nothing was sent; --job NAME --again sends all rows once more, and repeating that sends only the rest';
  throw unsafe('job-missing', 'with a live key and without a terminal, --again needs --job NAME', hint);
}

function skipSpan(text: string): number {
  const time = span(text);
  if (time > 0 && time <= 400 * 86_400_000) return time;
  throw usage(`"${text}" is not between 1s and 400d`, 'such as 20h or 30d');
}

export function choiceOf(flags: RunFlags, { interactive }: Pick<Context, 'interactive'>): Choice {
  const { skipSent, again, continue: goesOn, retryUnsure, atMost } = flags;
  const retry = interactive ? 'always' : 'daily';
  return { skipSent, again, continue: goesOn, retryUnsure: retryUnsure ? retry : undefined, atMost };
}

function jobName(text: string): string {
  if (/^[\p{L}\p{N}._:@ -]{1,100}$/u.test(text)) return text;
  throw usage(
    `"${text}" is not a job name`,
    'use up to 100 letters, digits, spaces and . _ : @ -, such as reminder-2026-05-01',
  );
}

/** Refuses a key in the path of the input, which is stored with the run. */
export function refuseKeyInPath(file: string, known: readonly string[]): void {
  const path = resolve(file);
  if (file === '-' || redact(path, known) === redact(path)) return;
  throw usage(`the path "${redact(path, known)}" contains a key stored on this machine`, 'rename the file or folder');
}

/** The rate of a run, or its share of the plan's minute, such as `90%`. A rate per second holds for each second. */
function runRate(text: string): RunRate {
  if (text === 'none') return 'none';
  const [, percent] = /^(\d{1,3}(?:\.\d{1,3})?)%$/.exec(text) ?? [];
  const share = Number(percent);
  if (share > 0 && share <= 100) return { share };
  const [, amount, unit] = /^(\d{1,7})\/([sm])$/.exec(text) ?? [];
  const perWindow = Number(amount);
  if (perWindow > 0) return { perWindow, window: unit === 's' ? 1_000 : 60_000 };
  throw usage(`"${text}" is not a rate`, 'use 300/m, 20/s, 90% or none');
}
