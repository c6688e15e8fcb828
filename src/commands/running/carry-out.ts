import type { Prepared } from '../../bulk/row.ts';
import { unitOf } from '../../bulk/rows/place.ts';
import { refuseOther } from '../../bulk/rows/prints.ts';
import type { Identity } from '../../bulk/run/identity.ts';
import { openRun } from '../../bulk/run/open.ts';
import type { ToldRun } from '../../bulk/run/open.ts';
import type { OpenRun } from '../../bulk/run/open-run.ts';
import { runRows } from '../../bulk/run/run-rows.ts';
import type { Summary } from '../../bulk/run/summary.ts';
import type { Survey } from '../../bulk/survey.ts';
import type { Context, Emit } from '../../cli/command.ts';
import type { RunClient } from '../../cli/run-client.ts';
import { CliError } from '../../errors.ts';
import { fileUnusable } from '../../file-fault.ts';
import { redact } from '../../redact.ts';
import { circumstancesOf } from './circumstances.ts';
import { commandOf, endedOf } from './ended.ts';
import { writeFiles } from './files.ts';
import type { Files } from './files.ts';
import { nameOf } from './input.ts';
import type { RowsInput } from './input.ts';
import { prepared } from './job.ts';
import type { Job, Mapper } from './job.ts';
import { meantColumn } from './meant-column.ts';
import type { Ended } from './result.ts';
import { rowFiles } from './row-files.ts';
import type { RunInput } from './run-params.ts';
import { sayUnsure } from './say-unsure.ts';
import { showing } from './showing.ts';
import { holdSpareFiles } from './spare-files.ts';
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
    shown: {
      path: redact(input.shown),
      flags: context.typed.map((word) => redact(word)),
      key: running.client.target.shownKey,
    },
    rows: found.rows,
    flags,
    read: () => rowsOf(running),
    ...rowFiles(stateFolder),
  });
  return closedAfter(run, () => ended(running, run, emit));
}

async function ended(running: Running, run: OpenRun | ToldRun, emit: Emit): Promise<Ended> {
  const { context, input } = running;
  const told = { ...aboutOf(running), run: run.id };
  if (run.action === 'tell') {
    context.note('finished', 'this run was finished before; nothing was sent');
    const files = await filesOf(running, run.folder, run.summary);
    sayUnsure(context, run.summary);
    return endedOf(run.summary, { ...told, files, sent: false, clue: undefined });
  }
  for (const note of run.notes) context.note('run', note);
  const source = input.draft === undefined ? input.source : await input.reopened(run.keepCopy(input.draft));
  const summary = await sent({ ...running, input: { ...input, source } }, run, emit);
  const files = await filesOf({ ...running, input: { ...input, source } }, run.folder, summary);
  sayUnsure(context, summary);
  const clue = clueIn(running, summary);
  if (clue !== undefined && !summary.stopped) context.note('meant', clue);
  return endedOf(summary, { ...told, files, sent: true, clue });
}

/** What a run came to is not lost because it cannot be closed. */
async function closedAfter(run: Pick<OpenRun, 'close'>, act: () => Promise<Ended>): Promise<Ended> {
  const result = await act().catch(async (error: unknown) => {
    await run.close().catch(() => {});
    throw error;
  });
  try {
    await run.close();
    return result;
  } catch (error) {
    const failure = error instanceof CliError ? error : fileUnusable(error);
    if (!failure) throw error;
    return result.exit instanceof CliError ? result : { ...result, exit: failure };
  }
}

function aboutOf({ context, job, input }: Running) {
  return { typed: context.typed, command: commandOf(job), input: nameOf(input), unit: unitOf(input.source) };
}

function clueIn({ job, input }: Running, { reasons }: Summary): string | undefined {
  const columns = job.free?.(input.source.fields ?? []) ?? [];
  return meantColumn(
    reasons.map(({ reason }) => reason),
    columns,
  );
}

export function identityOf({ job, input, client, found }: Running): Identity {
  return { ...circumstancesOf(job, client), content: found.content, file: input.real };
}

async function sent(running: Running, run: OpenRun, emit: Emit): Promise<Summary> {
  const { context, job, client, found, flags, signals } = running;
  const { process: own } = await context.sandboxes();
  signals.take();
  await job.forebode?.(client);
  const spare = holdSpareFiles();
  const shown = await showing(context, { total: found.rows, before: run.ledger.counts(), emit });
  const recorded = await client.record({ name: job.endpoint, run: run.id, template: job.template });
  try {
    const summary = await runRows({
      run: { ...run, summary: (skipped) => (spare.release(), run.summary(skipped)) },
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
    recorded(summary);
    return summary;
  } finally {
    spare.release();
    shown.end();
  }
}

function gone(last: CliError | undefined): string {
  return `${last?.message ?? 'the service cannot be reached'}; waiting for it, for 2 minutes at most`;
}

/** Rows that came to nothing are found in the input by their number, so in none that has changed. */
async function filesOf(running: Running, folder: string, summary: Summary): Promise<Files> {
  const { context, input, found } = running;
  const { source, shown, path } = input;
  const same = { ...source, rows: () => source.rows(undefined, refuseOther(found.prints, shown)) };
  try {
    return await writeFiles(context, { folder, source: same, path, identity: identityOf(running) }, summary);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'input-changed') throw error;
    context.note('no-files', `"${shown}" has changed, so the rows that failed or are unsure cannot be told from it`);
    return { failed: null, unsure: null };
  }
}

export async function* rowsOf({ input, mapper, found }: Running): AsyncGenerator<readonly Prepared[]> {
  const one = mapper();
  const rows = input.source.rows(undefined, refuseOther(found.prints, input.shown));
  for await (const batch of rows) yield batch.map((row) => prepared(row, one));
}
