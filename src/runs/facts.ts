import { redact } from '../base/redact.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { RejectFile, RejectFiles, RunFacts, RunReport } from '../ledger/ledger.ts';
import type { Running } from './action.ts';
import type { Preflight } from './preflight.ts';
import type { Stopped } from './stop.ts';
import { type SkippedCounts, sumOf, type Tally } from './tally.ts';

/** The facts of a command in `runs list`. */
export function factsOf(
  { context, action, input }: Pick<Running, 'context' | 'action' | 'input'>,
  { rows, invalid }: Pick<Preflight, 'rows' | 'invalid'>,
): RunFacts {
  return {
    command: action.command,
    typed: commandLine(context.host.argv),
    file: input.path === undefined ? undefined : redact(input.path),
    rows,
    invalid,
  };
}

/** The same of its end, or so far. */
export function reportOf(tally: Pick<Tally, 'counts'>, files: RejectFiles, stopped?: Stopped): RunReport {
  const shownFiles = { failed: shown(files.failed), unsure: shown(files.unsure) };
  return { skipped: leftOut(tally.counts().skipped), stopped: stopped?.message, files: shownFiles };
}

/** A name that contains a key is not stored, so such a file is not recognized again. */
function shown(written: RejectFile | undefined): RejectFile | undefined {
  return written && { ...written, file: redact(written.file) };
}

/** The command line without values that may be private: params and contact fields. */
function commandLine(typed: readonly string[]): string {
  const words = typed.map((word, at) => {
    if (/^(-p|--param|--set)$/.test(typed[at - 1] ?? '')) return '…';
    return word.replace(/^(-p|--param=|--set=).+$/s, '$1…');
  });
  return ['bizmsg', ...words.map((word) => (word.endsWith('…') ? word : shellQuote(redact(word))))].join(' ');
}

/** Rows that the run does not send. Rows that it sent before count as sent, and unsure ones as unsure. */
function leftOut(skipped: SkippedCounts): number {
  return sumOf({ ...skipped, this_run: 0, unsure: 0, changed: 0 });
}
