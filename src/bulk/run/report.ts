import type { CliError } from '../../errors.ts';
import type { Row } from '../row.ts';
import { digestOfRow } from './check.ts';
import type { Flight } from './intake.ts';
import type { Page } from './page.ts';
import { states } from './records.ts';

/** What became of a row in this part of the run. */
export type Outcome =
  | { readonly outcome: 'done'; readonly row: Row; readonly answer: unknown }
  | { readonly outcome: 'failed' | 'unsure'; readonly row: Row; readonly code: string; readonly reason: string };

type Cause = Pick<CliError, 'exit' | 'code' | 'message'>;

/** Writes down what became of each row, and tells it to whoever listens. */
export interface Report {
  done(row: Row, answer: unknown): void;
  /** One that may have been done before is no less unsure than it was. */
  failed(flight: Flight, cause: Cause): void;
  /** Before it was sent. */
  refused(row: Row, reason: string): void;
  unsure(row: Row, cause: Cause): void;
  /** Nobody is told of it. */
  unsent(flight: Flight): void;
  /** How many the listener has not done with. */
  readonly pending: number;
}

interface Listening {
  readonly changed: () => void;
  readonly crash: (error: unknown) => void;
}

export function createReport(
  page: Page,
  listener: ((outcome: Outcome) => Promise<void> | undefined) | undefined,
  { changed, crash }: Listening,
): Report {
  let pending = 0;
  const told = () => {
    pending -= 1;
    changed();
  };
  return {
    done(row, answer) {
      page.done(row.number);
      if (listener) tell({ outcome: 'done', row, answer });
    },
    failed({ row, wasUnsure }, cause) {
      if (wasUnsure) rejected(row, states.unsure, { exit: 'unsure', code: 'sent-before', message: sentAgain(cause) });
      else rejected(row, states.failed, cause);
    },
    refused(row, reason) {
      rejected(row, states.refused, { exit: 'usage', code: 'row-refused', message: reason }, digestOfRow(row));
    },
    unsure: (row, cause) => rejected(row, states.unsure, cause),
    unsent({ row: { number, line }, wasUnsure }) {
      // Not sent this time, but perhaps the time before.
      if (wasUnsure) page.rejected([number, line, states.unsure, 'unsure', 'sent-before', sentBefore]);
      else page.unsent(number);
    },
    get pending() {
      return pending;
    },
  };

  function rejected(
    row: Row,
    state: typeof states.failed | typeof states.refused | typeof states.unsure,
    { exit, code, message }: Cause,
    ...digest: readonly [digest?: number]
  ): void {
    page.rejected([row.number, row.line, state, exit, code, message, ...digest]);
    if (listener) tell({ outcome: state === states.unsure ? 'unsure' : 'failed', row, code, reason: message });
  }

  function tell(outcome: Outcome): void {
    try {
      const waiting = listener?.(outcome);
      if (!waiting) return;
      pending += 1;
      waiting.catch(crash).finally(told);
    } catch (error) {
      crash(error);
    }
  }
}

function sentAgain({ message }: Cause): string {
  return `it may have been done before; sent again, ${message}`;
}

const sentBefore = 'an earlier part of the run sent it, and nobody knows whether it was done';
