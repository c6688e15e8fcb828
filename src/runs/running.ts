import type { Context, Emit } from '../cli/command.ts';
import type { OpenedLedger, RunClient } from '../session/run-client.ts';
import type { OwnProcess } from '../session/sandboxes.ts';
import type { RowsInput } from './input.ts';
import type { Job, Mapper } from './job.ts';
import type { RunInput } from './options.ts';
import type { RunSignals } from './signals.ts';

/** The surroundings of a run: what the command line, the input and the caller have come to. */
export interface Running {
  readonly context: Context;
  readonly job: Job;
  readonly options: RunInput;
  readonly input: RowsInput;
  readonly mapper: Mapper;
  readonly client: RunClient;
  readonly signals: RunSignals;
  readonly emit: Emit;
  readonly opened: OpenedLedger;
  readonly stateFolder: string;
  readonly own: OwnProcess;
}
