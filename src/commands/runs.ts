import { usage } from '../base/errors.ts';
import { command, type Context } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { rowsText } from '../cli/output/figures.ts';
import { flag, knowing, option, required, words } from '../cli/params.ts';
import { homeOf, runId, showRun } from './show-run.ts';

export const listRuns = command({
  name: 'list',
  summary: 'List the imports and batches of this machine, or of its team, newest last',
  params: {},
  examples: ['runs list', 'runs list -o json'],
  sample:
    'id\tstarted_at\tcommand\tfile\tstate\ttemplate\tjob\trows\tsent\tfailed\tunsure\tleft\t…\n3f9a1c20be41\t2026-…\tcontacts import\t…\tfinished\t\t\t2\t2\t0\t0\t0\t…',
  accepts: ['profile', ...printOptions],
  piped: 'rows',
  first: ['id', 'started_at', 'command', 'file', 'sent', 'failed', 'state', 'unsure'],
  run: async (context) => {
    const { runRow, runsOf } = await import('../runs/listing.ts');
    return (await runsOf(homeOf(context))).map(runRow);
  },
  view: () => 'No runs; contacts import and send-batch start them',
});

export const resolveRun = command({
  name: 'resolve',
  summary: 'Record whether the unsure rows of a run were sent',
  details: [
    'An unsure row may have been sent: the service did not respond, or the process ended. If you know the outcome,',
    'for example from the events of your webhook, record it. Rows recorded as --sent are skipped. Rows recorded as',
    '--not-sent count as failed: the same command sends them if its run is unfinished, otherwise with --skip-sent.',
  ].join('\n'),
  params: {
    id: runId,
    sent: flag('--sent', 'the rows were sent'),
    notSent: flag('--not-sent', 'the rows were not sent'),
    lines: option(
      '--lines <lines>',
      'only these lines of the file, such as 12,40-44 (default: all unsure rows)',
      lineSet,
    ),
    recipient: option('--recipient <phone>', 'only this person, in all runs and single messages without an id'),
  },
  examples: ['runs resolve 3f9a1c20be41 --sent', 'runs resolve 3f9a1c20be41 --not-sent --lines 12,40-44'],
  sample: 'Recorded as sent: 3 rows of run 3f9a1c20be41',
  accepts: ['profile', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, { id, sent, notSent, lines, recipient: typed }) => {
    if (sent === notSent) throw usage('give --sent or --not-sent', 'see bizmsg runs show <id> --outcome unsure');
    const { resolveRows } = await import('../runs/maintenance.ts');
    const found = sent ? 'sent' : 'not-sent';
    const recipient = await recipientOf(context, typed);
    return resolveRows({ ...homeOf(context), id, found, lines, recipient });
  },
  view: ({ run, rows, found }) =>
    `Recorded as ${found === 'sent' ? 'sent' : 'not sent'}: ${rowsText(rows)}${run === null ? '' : ` of run ${run}`}`,
});

/** Parses a list such as 12,40-44 into a test for a line. */
function lineSet(text: string): (line: number) => boolean {
  const ranges = text.split(',').map((part) => {
    const [, from, to = from] = /^\s*(\d+)(?:\s*-\s*(\d+))?\s*$/.exec(part) ?? [];
    if (from === undefined || to === undefined || Number(from) > Number(to))
      throw usage(`"${part}" is not a line or a range of lines`, 'such as 12,40-44');
    return [Number(from), Number(to)] as const;
  });
  return (line) => ranges.some(([from, to]) => line >= from && line <= to);
}

export const closeRun = command({
  name: 'close',
  summary: 'Close an unfinished run, so that its unsent rows are given up',
  details: [
    'bizmsg still remembers the rows that the run sent. An unfinished run also closes after 7 idle days, unless it is',
    'a job. The name of a closed job cannot be used again.',
  ].join('\n'),
  params: { id: knowing('runs', required('<id>', 'the id of a run, its first characters, or the name of a job')) },
  examples: ['runs close 3f9a1c20be41'],
  sample: 'Closed run 3f9a1c20be41; 12 rows were not sent',
  accepts: ['profile', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, { id }) => {
    const { closeRun } = await import('../runs/maintenance.ts');
    return closeRun({ ...homeOf(context), id });
  },
  view: ({ run, left }) => `Closed run ${run}; ${rowsText(left)} ${left === 1 ? 'was' : 'were'} not sent`,
});

export const forgetRuns = command({
  name: 'forget',
  summary: 'Forget runs, so their rows can be sent again',
  details: [
    'Asks for confirmation; a script needs --yes. Nothing changes at the service. --recipient erases one person',
    'from all runs and single messages. An open run or a job that has the person in its file would send to them',
    'again: a file for --exclude-from prevents that.',
  ].join('\n'),
  params: {
    ids: knowing('runs', words('[ids...]', 'ids of runs, or their first characters')),
    finished: flag('--finished', 'all finished runs'),
    recipient: option('--recipient <phone>', 'all messages and contacts sent to this phone'),
  },
  examples: [
    'runs forget 3f9a1c20be41 --yes',
    'runs forget --finished --yes',
    'runs forget --recipient +12025550101 --yes',
  ],
  sample: 'Forgot run 3f9a1c20be41',
  accepts: ['profile', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, { ids: given, finished, recipient: typed }) => {
    const selectors = [given.length > 0, finished, typed !== undefined].filter(Boolean).length;
    if (selectors !== 1) throw usage('give ids of runs, --finished, or --recipient', 'see bizmsg runs list');
    const [{ forgetRecipient, forgetRuns }, { runNamed, runsOf }] = await Promise.all([
      import('../runs/maintenance.ts'),
      import('../runs/listing.ts'),
    ]);
    const home = homeOf(context);
    const recipient = await recipientOf(context, typed);
    if (recipient !== undefined) {
      await context.confirm(`Forget everything that was sent to ${recipient}, so it can be sent again?`);
      const open = await forgetRecipient({ ...home, recipient });
      for (const { id, job } of open)
        context.note(
          'still-open',
          `${job === undefined ? `run ${id}` : `job ${job}`} has this person and would send to them again; --exclude-from FILE prevents that`,
        );
      return { ids: [], recipient };
    }
    const runs = await runsOf(home);
    const chosen = finished
      ? runs.filter(({ status }) => status === 'finished')
      : given.map((text) => runNamed(runs, text));
    const ids = [...new Set(chosen.map(({ id }) => id))];
    const which = ids.length === 1 ? `run ${ids[0]}` : `${ids.length} runs`;
    if (ids.length > 0) await context.confirm(`Forget ${which}, so the same rows can be sent again?`);
    await forgetRuns({ ...home, runs: chosen.filter((one, at) => chosen.indexOf(one) === at) });
    return { ids, recipient };
  },
  view: ({ ids, recipient }) => {
    if (recipient !== undefined) return `Forgot what was sent to ${recipient}`;
    return ids.length === 0 ? 'No runs' : ids.map((id) => `Forgot run ${id}`).join('\n');
  },
});

async function recipientOf(context: Context, typed: string | undefined): Promise<string | undefined> {
  if (typed === undefined) return undefined;
  return (await import('../cli/phones.ts')).typedPhone(context, typed, '--recipient');
}

export const runsCommands = [listRuns, showRun, resolveRun, closeRun, forgetRuns];
