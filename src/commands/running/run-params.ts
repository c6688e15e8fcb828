import { choice, flag, option } from '../../cli/params.ts';
import type { Input } from '../../cli/params.ts';
import { count, runRate } from '../../cli/values.ts';
import { usage } from '../../errors.ts';

/** What an import and a batch have in common. */
export const runParams = {
  format: choice('--format <format>', 'where neither name nor content tell', ['csv', 'tsv', 'ndjson', 'json']),
  encoding: option('--encoding <name>', 'of a text that is not UTF-8, such as windows-1252'),
  rate: option('--rate <rate>', "at most 20/s, 300/m, or a share of the plan's minute (90%)", runRate),
  concurrency: option('--concurrency <n>', 'so many at once (16)', atLeastOne),
  maxErrors: option('--max-errors <n>', 'stop after so many rows in a row that failed or are unsure (20)', atLeastOne),
  expectCount: option('--expect-count <n>', 'go on only if the input has so many rows; a live key wants it', count),
  resume: flag('--resume', 'go on where the run stopped, or start it'),
  newKey: flag('--new-key', 'with --resume: go on with what another key of the same account began'),
  restart: flag('--restart', 'begin an unfinished run anew, with all its rows'),
  allowRepeat: flag('--allow-repeat', 'run once more what was finished before'),
  allowUnsure: flag('--allow-unsure', 'send the rows again of which nobody knows whether they were done'),
} as const;

/** By `instead`. */
export const runInstead = {
  '--delimiter': 'the separator is found by itself',
  '--separator': 'the separator is found by itself',
} as const;

export type RunInput = Input<typeof runParams>;

export const runDetails = [
  'A run is kept on this machine until it is finished, so that --resume goes on with',
  'exactly the rows that were never sent. Ctrl-C waits for what is on its way. Rows',
  'that failed or are unsure are written beside the file, to be mended and run again.',
  'With --dry-run nothing is sent: it shows the first body, the bad rows and how long',
  'it will take. A reader of stdout who goes away, as head does, stops no run.',
  'Exit 10: some rows failed or are unsure.',
];

function atLeastOne(text: string): number {
  const number = count(text);
  if (number > 0) return number;
  throw usage('0 is too few', 'give 1 or more');
}
