import { choice, flag, option } from '../cli/params.ts';
import type { Input } from '../cli/params.ts';
import { count, runRate } from '../cli/values.ts';
import { usage } from '../errors.ts';
import type { Choice } from '../ledger/ledger.ts';

/** The options that an import and a batch share. */
export const runParams = {
  format: choice('--format <format>', 'format of the file (default: by its name or content)', [
    'csv',
    'tsv',
    'ndjson',
    'json',
  ]),
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
  newOnly: flag('--new-only', 'skip rows that an earlier run has sent'),
  again: flag('--again', 'send all rows once more, as a separate run'),
  job: option('--job <name>', 'send each row once under this name, and skip the rest without a question', jobName),
  retryUnsure: flag('--retry-unsure', 'also send rows that may have been sent before'),
  changed: choice('--changed <what>', 'rows whose recipient got another message from this run: skip or send them', [
    'skip',
    'send',
  ]),
  continue: flag('--continue', 'continue a run that was idle for 12 hours, or that another key began'),
} as const;

/** Options of other tools, and what to use here. */
export const runInstead = {
  '--delimiter': 'the separator is detected',
  '--separator': 'the separator is detected',
  '--resume': 'it is no longer needed: run the same command again',
  '--restart': 'it is now --again: it sends all rows once more, as a separate run',
  '--new-key': 'it is now --continue',
  '--allow-repeat': 'it is now --again; --new-only sends the rows that were not sent',
  '--allow-unsure': 'it is now --retry-unsure',
} as const;

export type RunInput = Input<typeof runParams>;

export const runDetails = [
  'After an interruption, run the same command again: rows that were sent are skipped, the rest is sent.',
  'It does not matter whether the file was renamed, sorted, fixed or extended, or is piped in. Ctrl-C waits',
  'for requests in flight. What a finished run has sent with a live key is not sent again by accident:',
  '--new-only sends the other rows, --again sends all of them, and --job NAME sends each row once under',
  'that name. Rows that failed, and unsure ones, which may have been sent, are written to files beside',
  'yours, to be fixed and run again. With --dry-run nothing is sent.',
  'Exit 10: some rows failed or are unsure. See bizmsg help exit-codes for the others.',
];

export function checkChoice({ job, newOnly, again }: RunInput): void {
  if (newOnly && again) throw usage('--new-only and --again contradict each other', 'leave one of them out');
  if (job === undefined) return;
  if (newOnly) throw usage('--job and --new-only do not go together', '--job already skips what it has sent');
  if (again) throw usage('--job and --again do not go together', 'use another name to send all rows once more');
}

export function choiceOf({ newOnly, again, continue: goesOn, changed, retryUnsure, atMost }: RunInput): Choice {
  return { newOnly, again, continue: goesOn, changed, retryUnsure, atMost };
}

function atLeastOne(text: string): number {
  const number = count(text);
  if (number > 0) return number;
  throw usage('0 is too few', 'give 1 or more');
}

function jobName(text: string): string {
  if (/^[\p{L}\p{N}._:@ -]{1,100}$/u.test(text)) return text;
  throw usage('a job name has up to 100 letters, digits, spaces and . _ : @ -', 'such as reminder-2026-05-01');
}
