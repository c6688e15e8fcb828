import { resolve } from 'node:path';
import {
  atLeastOne,
  choice,
  columns,
  count,
  flag,
  type Input,
  option,
  optionalValue,
  repeated,
  runRate,
  span,
} from '../cli/params.ts';
import { rowsText } from '../cli/output/figures.ts';
import { unsafe, usage } from '../base/errors.ts';
import { redact } from '../base/redact.ts';
import type { Context } from '../cli/command.ts';
import type { Choice } from '../ledger/ledger.ts';

/** The options that an import and a batch share. */
export const runParams = {
  format: choice('--format <format>', 'format of the file (default: by its name or content)', [
    'csv',
    'tsv',
    'ndjson',
    'json',
  ]),
  fields: option('--fields <names>', 'names of the columns of a file without a header line: phone,name', fieldNames),
  encoding: option('--encoding <name>', 'encoding of a file that is not UTF-8, such as windows-1252'),
  rate: option('--rate <rate>', "highest rate: 20/s, 300/m, or a share of the plan's minute (default: 90%)", runRate),
  concurrency: option('--concurrency <n>', 'requests in flight at most (default: 16)', atLeastOne),
  maxErrors: option('--max-errors <n>', 'stop when n consecutive rows failed or are unsure (default: 20)', atLeastOne),
  first: option(
    '--first <n>',
    'send only the first n rows now; the same command without it sends the rest',
    atLeastOne,
  ),
  expectCount: option('--expect-count <n>', 'stop before sending unless the input has exactly n rows', count),
  atMost: option('--at-most <n>', 'stop before sending if more than n rows would be sent', count),
  again: flag('--again', 'send all rows once more; in a live script with a new --job'),
  job: option('--job <name>', 'send each row once under this name, whenever the command is repeated', jobName),
  retryUnsure: flag('--retry-unsure', 'send unsure rows once more, which may have been sent before'),
  continue: flag('--continue', 'continue a run that was idle for 12 hours, has other texts, or is of another key'),
} as const;

/** `--skip-sent` alone. */
const usualSpan = '30d';

/** The options of a batch alone. */
export const batchParams = {
  skipSent: optionalValue(
    '--skip-sent [=time]',
    `skip people who got the template before, within this time (default: ${usualSpan})`,
    usualSpan,
    skipSpan,
  ),
  per: repeated('--per <column>', 'the column that tells several messages for one recipient apart, such as order'),
  ...runParams,
} as const;

/** The limits of a batch, as options or kept in a profile. */
export const excludeFromText = 'never message the phones in this file: one per line, or a column phone';
export const hoursHelp = 'send batches only then: "mon-fri 09:00-18:00 Europe/Berlin"';

/** Options of other tools, and what to use here. */
export const runInstead = {
  '--delimiter': 'the separator is detected',
  '--separator': 'the separator is detected',
} as const;

export type RunFlags = Input<typeof runParams> & Partial<Pick<Input<typeof batchParams>, 'skipSent'>>;

export const runDetails = (sentBefore: readonly string[]) => [
  'After an interruption, run the same command again: rows that were sent are skipped, the rest are sent.',
  'The file may have been renamed, sorted, fixed or extended meanwhile, or be piped in. Ctrl-C finishes the',
  'requests in flight.',
  '',
  ...sentBefore,
  '--job NAME sends each row once under that name, which suits scripts. bizmsg help twice explains these options.',
  '',
  'Failed rows are written to people.failed.csv beside the file people.csv, and unsure rows, which may have',
  'been sent, to people.unsure.csv. With --dry-run nothing is sent.',
  'Exit 10: some rows failed or are unsure. See bizmsg help exit-codes for the others.',
];

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

/** Throws unless the input has as many rows as `--expect-count` says; `--first` counts. */
export function checkCount(
  rows: number,
  { expectCount, first = Infinity }: Pick<RunFlags, 'expectCount' | 'first'>,
): void {
  const found = Math.min(rows, first);
  if (expectCount === undefined || expectCount === found) return;
  throw unsafe(
    'count',
    `the input has ${rowsText(found)}, not ${expectCount}`,
    'nothing was sent; is this the right file?',
  );
}

export function choiceOf(flags: RunFlags, { interactive }: Pick<Context, 'interactive'>): Choice {
  const { skipSent, again, continue: goesOn, retryUnsure, atMost } = flags;
  const retry = interactive ? 'always' : 'daily';
  return { skipSent, again, continue: goesOn, retryUnsure: retryUnsure ? retry : undefined, atMost };
}

function fieldNames(text: string): readonly string[] {
  const names = columns(text);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw usage(`"${twice}" is given twice`, 'give each column its own name');
  return names;
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
