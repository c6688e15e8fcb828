import { listRuns, type RejectFile, type RejectFiles, type RunEntry } from '../ledger/file/runs.ts';
import { processStart } from '../base/liveness.ts';
import { redact } from '../base/redact.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { ledgerFolder, removeExpiredLogs } from './listing.ts';
import type { Registration } from './register.ts';
import type { Running } from './action.ts';
import type { Stopped } from './stop.ts';
import type { SkippedCounts, Tally } from './tally.ts';

/** The line of this run in `runs list`, kept up to date while it runs. */
export interface KeptEntry {
  /** The entry before this command. */
  readonly before: RunEntry | undefined;
  end(stopped: Stopped | undefined, files: RejectFiles): Promise<void>;
  /** After `end`: the summary was printed. */
  finish(): Promise<void>;
  /** Ends the updates. */
  close(): void;
}

/** Milliseconds between two updates. */
export const updateInterval = 1_000;

export async function keepEntry(
  { context, action, input, mode, opened }: Running,
  { accepted, plan }: Registration,
  tally: Tally,
): Promise<KeptEntry> {
  const { host } = context;
  const stateFolder = context.stateFolder();
  const { ledger, account } = opened;
  const before = listRuns(ledgerFolder(stateFolder)).find(({ run }) => run === accepted.run);
  const startedAt = host.now();
  // Read once: in the timer below, too many open files would end the process.
  const owner = { pid: host.pid, start: processStart(host.pid) };
  let cancel = () => {};
  let last: RunEntry | undefined;
  await ledger.putEntry(entryNow());
  removeExpiredLogs(stateFolder);
  updateLater();
  return {
    before,
    async end(stopped, files) {
      cancel();
      const state = (await ledger.runs()).find(({ id }) => id === accepted.run);
      const { rows, skipped } = tally.counts();
      const { done = 0, failed = 0, unsure = 0, planned = 0, released = 0, leaving = 0 } = state?.counts ?? {};
      const left = planned + released + leaving;
      const ended = done + failed + tally.invalid + unsure + left;
      // Rows that are unsure in another run are left out, too.
      const others = Math.max(leftOut(skipped), rows - ended);
      const counts = {
        // A job may have had other rows before.
        rows: ended + others,
        sent: done,
        failed: failed + tally.invalid,
        unsure,
        left: planned + released,
        skipped: others,
      };
      last = {
        ...entryNow(),
        counts,
        stopped: stopped?.message,
        files: { failed: shown(files.failed), unsure: shown(files.unsure) },
      };
      await ledger.putEntry(stopped ? endedNow(last) : last);
    },
    async finish() {
      if (last) await ledger.putEntry(endedNow(last));
    },
    close: () => cancel(),
  };

  function updateLater(): void {
    cancel = host.later(updateInterval, () => {
      // The end of the run reports a ledger that cannot be written.
      ledger.putEntry(entryNow()).catch(() => {});
      updateLater();
    });
  }

  function endedNow(entry: RunEntry): RunEntry {
    return { ...entry, endedAt: host.now(), owner: undefined };
  }

  function entryNow(): RunEntry {
    const { rows, sent, failed, unsure, not_reached: left, skipped } = tally.counts();
    const earlier = skipped.this_run;
    return {
      run: accepted.run,
      command: commandLine(host.argv),
      file: input.path === undefined ? undefined : redact(input.path),
      mode,
      kind: action.command,
      template: action.template,
      account: account.id,
      job: plan.job,
      owner,
      startedAt: before?.startedAt ?? startedAt,
      counts: { rows, sent: sent + earlier, failed, unsure: unsure + skipped.unsure, left, skipped: leftOut(skipped) },
      updatedAt: host.now(),
      endedAt: undefined,
      stopped: undefined,
      files: before?.files,
    };
  }
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
function leftOut({ excluded, earlier_run, duplicate, elsewhere, changed }: SkippedCounts): number {
  return excluded + earlier_run + duplicate + elsewhere + changed;
}
