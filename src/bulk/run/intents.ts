import { CliError } from '../../errors.ts';
import type { Halt } from './halt.ts';
import type { Flight } from './intake.ts';
import type { OpenRun } from './open-run.ts';
import type { Page } from './page.ts';
import type { Report } from './report.ts';

/** What is recorded of a row before it is sent, so that a crash cannot make it be sent twice. */
export interface Intents {
  /** Before it is known whether it waits: written with all else of this turn. */
  announce(flight: Flight): void;
  /** It does not leave after all, or not now. */
  withdraw(flight: Flight): void;
  /** It was handed on, and has not left yet. */
  wait(flight: Flight): void;
  readonly waiting: number;
  /** It leaves when this has resolved; throws where it is to stay. */
  leave(flight: Flight): Promise<void> | undefined;
  /** It waits no more, and has not left; false where it did not wait. */
  stay(flight: Flight): boolean;
  /** All that wait: they do not leave any more. */
  recall(): readonly Flight[];
}

export interface IntentsOptions {
  readonly run: OpenRun;
  readonly page: Page;
  readonly report: Report;
  readonly halt: Halt;
  readonly paced: boolean;
  /** There is something to be written. */
  readonly changed: () => void;
}

/** Those of a turn are one write where rows do not wait; where they do, each is written as its row leaves. */
export function createIntents({ run, page, report, halt, paced, changed }: IntentsOptions): Intents {
  const waiting = new Set<Flight>();
  let leaving: Promise<void> | undefined;
  return {
    announce(flight) {
      if (!paced) record(flight);
    },
    withdraw,
    wait(flight) {
      waiting.add(flight);
      withdraw(flight);
    },
    get waiting() {
      return waiting.size;
    },
    leave(flight) {
      if (halt.stopped) throw stays();
      const hasWaited = waiting.has(flight);
      if (paced || hasWaited) record(flight);
      if (hasWaited && !paced) write();
      waiting.delete(flight);
      return paced ? (leaving ??= onDisk()) : undefined;
    },
    stay: (flight) => waiting.delete(flight),
    recall() {
      const all = [...waiting];
      waiting.clear();
      return all;
    },
  };

  function withdraw(flight: Flight): void {
    if (paced) return;
    report.unsent(flight);
    changed();
  }

  function record({ row, digest }: Flight): void {
    page.sends(row.number, row.line, digest);
  }

  function write(): void {
    try {
      page.write();
    } catch (error) {
      halt.crash(error);
    }
    if (halt.stopped) throw stays();
  }

  /** One write and one sync for all that leave together. */
  async function onDisk(): Promise<void> {
    await Promise.resolve();
    leaving = undefined;
    write();
    await run.synced().catch(halt.crash);
    if (halt.stopped) throw stays();
  }
}

function stays(): CliError {
  return new CliError('interrupted', 'interrupted', 'the run was stopped before this row left', { done: 'no' });
}
