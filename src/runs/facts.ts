import { redact } from '../base/redact.ts';
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

/** The words of the command line as JSON, without values that may be private: params and contact fields. */
function commandLine(typed: readonly string[]): string {
  const words = typed.map((word, at) => {
    const [, option = '', value = word] = /^(-p=?|--param=|--set=)(.+)$/s.exec(word) ?? [];
    const name = option || (typed[at - 1] ?? '');
    if (!/^(?:-p|--param|--set)=?$/.test(name)) return redact(word);
    return `${option}${redact(name.startsWith('--set') ? nameIn(value) : columnIn(value))}`;
  });
  return JSON.stringify(words);
}

/** `source=…` of `source=fair`. */
function nameIn(setting: string): string {
  return `${/^[^=]+=/.exec(setting)?.[0] ?? ''}…`;
}

/** The param `:name`, but no text. */
function columnIn(param: string): string {
  return /^:[^:]/.test(param) ? param : '…';
}

/** Rows that the run does not send. Rows that it sent before count as sent, and unsure ones as unsure. */
function leftOut(skipped: SkippedCounts): number {
  return sumOf({ ...skipped, this_run: 0, unsure: 0, changed: 0 });
}
