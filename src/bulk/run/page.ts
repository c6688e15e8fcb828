import { redact } from '../../redact.ts';
import type { OpenRun } from './open-run.ts';
import type { RejectedRecord } from './records.ts';
import type { Clock } from './outage.ts';

/** What is to be recorded at the end of this turn of the event loop, in one write. */
export interface Page {
  /** It is about to be sent. */
  sends(number: number, line: number, digest: number): void;
  done(number: number): void;
  unsent(number: number): void;
  rejected(record: RejectedRecord): void;
  /** When it throws, nothing was written: nothing may be sent; what became of rows is kept for another try. */
  write(): void;
}

const longestReason = 500;

export function createPage({ record, startedAt }: OpenRun, clock: Clock): Page {
  let sent: number[] = [];
  let [done, unsent, rejected]: [number[], number[], RejectedRecord[]] = [[], [], []];
  return {
    sends: (number, line, digest) => void sent.push(number, line - number, digest),
    done: (number) => void done.push(number),
    unsent: (number) => void unsent.push(number),
    rejected: ([number, line, state, exit, code, reason, ...digest]) =>
      void rejected.push([number, line, state, exit, code, redact(reason).slice(0, longestReason), ...digest]),
    write() {
      if (sent.length + done.length + unsent.length + rejected.length === 0) return;
      const about = sent;
      sent = [];
      record(['rows', clock.now() - startedAt, about, done, unsent, rejected]);
      [done, unsent, rejected] = [[], [], []];
    },
  };
}
