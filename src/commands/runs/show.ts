import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { choice, required } from '../../cli/params.ts';

export const showRun = command({
  name: 'show',
  summary: 'Show the outcome of each row of a run',
  details: [
    "Each row has its line in the file, its outcome, the reason if it was not sent, and the service's id if it was.",
    'The list survives a crash. It has no names, phones or params: look those up by line in your file.',
  ].join('\n'),
  params: {
    id: required('<id>', 'the id of a run, from runs list, or its first characters'),
    outcome: choice('--outcome <outcome>', 'only rows with this outcome', ['sent', 'failed', 'unsure', 'skipped']),
  },
  examples: ['runs show 3f9a1c20be41', 'runs show 3f9a1c20be41 --outcome failed', 'runs show 3f9a1c20be41 -o csv'],
  sample:
    'row\tline\toutcome\treason\tid\n1\t2\tsent\t\tcon_sandbox_1\n2\t3\tfailed\tphone: "1.20256E+10" is not a phone number…\t',
  honours: printing,
  piped: 'rows',
  first: ['line', 'outcome', 'reason', 'id'],
  run: async (context, { id, outcome }) => {
    const [{ runNamed, runsOf }, { rowsOfRun }, { logFolder, logParts }, { sayingOnce }, sandboxes] = await Promise.all(
      [
        import('../../runs/listing.ts'),
        import('../../runs/history.ts'),
        import('../../runs/log.ts'),
        import('../../base/journal-lines.ts'),
        context.sandboxes(),
      ],
    );
    const { stateFolder, process: own } = sandboxes;
    const { run, status } = runNamed(runsOf(stateFolder, own), id);
    const onDamage = sayingOnce((text) => context.note('run-log', text));
    const rows = rowsOfRun(logParts(logFolder(stateFolder, run), onDamage), status === 'running');
    const wanted = outcome === undefined ? rows : rows.filter((row) => row.outcome === outcome);
    return wanted.map(({ number, line, outcome, reason, id }) => ({
      row: number,
      line,
      outcome,
      reason: reason ?? null,
      id: id ?? null,
    }));
  },
  view: () => 'No rows',
});
