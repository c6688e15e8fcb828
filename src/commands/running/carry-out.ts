import type { Prepared } from '../../bulk/row.ts';
import { openRun } from '../../bulk/run/open.ts';
import type { OpenRun } from '../../bulk/run/open-run.ts';
import { runRows } from '../../bulk/run/run-rows.ts';
import type { Summary } from '../../bulk/run/summary.ts';
import type { Survey } from '../../bulk/survey.ts';
import type { Context, Emit } from '../../cli/command.ts';
import type { RunClient } from '../../cli/run-client.ts';
import type { CliError } from '../../errors.ts';
import { endedOf } from './ended.ts';
import { writeFiles } from './files.ts';
import type { RowsInput } from './input.ts';
import { prepared } from './job.ts';
import type { Job, Mapper } from './job.ts';
import type { Ended } from './result.ts';
import { resumeLine } from './resume-line.ts';
import type { RunInput } from './run-params.ts';
import { showing } from './showing.ts';
import type { Told } from './signals.ts';

export interface Asked {
  readonly context: Context;
  readonly job: Job;
  readonly flags: RunInput;
  readonly input: RowsInput;
  readonly client: RunClient;
  readonly signals: Told;
}

export interface Running extends Asked {
  readonly mapper: () => Mapper;
  readonly found: Survey;
}

/** Sends what was never sent, and writes down what came to nothing. */
export async function carriedOut(running: Running, emit: Emit): Promise<Ended> {
  const { context, input, found, flags } = running;
  const { stateFolder, process: own } = await context.sandboxes();
  const run = await openRun({
    ...own,
    stateFolder,
    identity: identityOf(running),
    shown: { path: input.shown, flags: context.typed, key: running.client.target.shownKey },
    rows: found.rows,
    flags,
    read: () => rowsOf(running),
  });
  const told = { run: run.id, resume: resumeLine(context.typed) };
  if (run.action === 'tell') {
    context.note('finished', 'this run was finished before; nothing was sent');
    return endedOf(run.summary, { ...told, files: { failed: null, unsure: null } });
  }
  try {
    for (const note of run.notes) context.note('run', note);
    const source = input.draft === undefined ? input.source : await input.reopened(run.keepCopy(input.draft));
    const summary = await sent({ ...running, input: { ...input, source } }, run, emit);
    const files = await writeFiles(context, { folder: run.folder, source, path: input.path }, summary);
    return endedOf(summary, { ...told, files });
  } finally {
    await run.close();
  }
}

function identityOf({ job, input, client, found }: Running) {
  const { kind, template, mapping } = job;
  const { address, mode, key } = client.target;
  return { kind, template, mapping, content: found.content, file: input.path, address, mode, keyDigest: key };
}

async function sent(running: Running, run: OpenRun, emit: Emit): Promise<Summary> {
  const { context, job, client, found, flags, signals } = running;
  const { process: own } = await context.sandboxes();
  signals.take();
  await job.forebode?.(client);
  const shown = await showing(context, { total: found.rows, before: run.ledger.counts(), emit });
  try {
    return await runRows({
      run,
      rows: rowsOf(running),
      send: client.calling(job.endpoint),
      reachable: client.reachable,
      concurrency: client.concurrency,
      maxErrors: flags.maxErrors,
      paced: client.pace.known !== undefined,
      signals,
      clock: own,
      onOutage: (state, last) => context.note('outage', state === 'gone' ? gone(last) : 'the service answers again'),
      onOutcome: shown.take,
    });
  } finally {
    shown.end();
  }
}

function gone(last: CliError | undefined): string {
  return `${last?.message ?? 'the service cannot be reached'}; waiting for it, for 2 minutes at most`;
}

async function* rowsOf({ input, mapper }: Pick<Running, 'input' | 'mapper'>): AsyncGenerator<readonly Prepared[]> {
  const one = mapper();
  for await (const batch of input.source.rows()) yield batch.map((row) => prepared(row, one));
}
