import { choice, flag, option } from '../../cli/params.ts';
import type { Input } from '../../cli/params.ts';
import { count, runRate } from '../../cli/values.ts';
import { usage } from '../../errors.ts';

/** What an import and a batch have in common. */
export const runParams = {
  format: choice('--format <format>', 'the format of the file (told from its name or content)', [
    'csv',
    'tsv',
    'ndjson',
    'json',
  ]),
  encoding: option('--encoding <name>', 'the encoding of a file that is not UTF-8, such as windows-1252'),
  rate: option('--rate <rate>', "how fast at most: 20/s, 300/m, or a share of the plan's minute (90%)", runRate),
  concurrency: option('--concurrency <n>', 'how many requests at once at most (16)', atLeastOne),
  maxErrors: option('--max-errors <n>', 'stop when n consecutive rows failed or are unsure (default: 20)', atLeastOne),
  expectCount: option(
    '--expect-count <n>',
    'run only if the file has exactly n rows; a script with a live key needs it',
    count,
  ),
  resume: flag('--resume', 'go on where the run stopped, or start it if there is none'),
  newKey: flag('--new-key', 'with --resume: go on with a run that another key of this account began'),
  restart: flag('--restart', 'begin an unfinished run again, with all its rows, also those sent'),
  allowRepeat: flag('--allow-repeat', 'send once more what an earlier run has sent'),
  allowUnsure: flag('--allow-unsure', 'send again what may already have been sent'),
} as const;

/** By `instead`. */
export const runInstead = {
  '--delimiter': 'the separator is found by itself',
  '--separator': 'the separator is found by itself',
} as const;

export type RunInput = Input<typeof runParams>;

export const runDetails = [
  'A run is kept on this machine until it is finished: with --resume it goes on with exactly the rows',
  'that were never sent. Ctrl-C waits for what is on its way. Rows that failed, and unsure ones, which',
  'may have been sent, are written to files beside yours, to be mended and run again. With --dry-run',
  'nothing is sent: it shows the first body, the rows that cannot be sent and how long it will take.',
  'A run goes on when the reader of stdout goes away, as head does.',
  'Exit 10: some rows failed or are unsure. See bizmsg help exit-codes for the others.',
];

function atLeastOne(text: string): number {
  const number = count(text);
  if (number > 0) return number;
  throw usage('0 is too few', 'give 1 or more');
}
