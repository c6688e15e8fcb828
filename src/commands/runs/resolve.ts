import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { flag, option, required } from '../../cli/params.ts';
import { usage } from '../../base/errors.ts';

export const resolveRun = command({
  name: 'resolve',
  summary: 'Record whether the unsure rows of a run were sent',
  details: [
    'An unsure row may have been sent: the service did not answer, or the process ended. If you know whether it',
    'arrived, for example from the events of your webhook, record it. After --not-sent, the same command sends',
    'these rows. After --sent, it skips them.',
  ].join('\n'),
  params: {
    id: required('<id>', 'the id of a run, from runs list, or its first characters'),
    sent: flag('--sent', 'the rows were sent'),
    notSent: flag('--not-sent', 'the rows were not sent'),
    lines: option(
      '--lines <lines>',
      'only these lines of the file, such as 12,40-44 (default: all unsure rows)',
      lineSet,
    ),
  },
  examples: ['runs resolve 3f9a1c20be41 --sent', 'runs resolve 3f9a1c20be41 --not-sent --lines 12,40-44'],
  sample: 'Recorded as sent: 3 rows of run 3f9a1c20be41',
  honours: printing,
  changes: true,
  piped: 'text',
  run: async (context, { id, sent, notSent, lines }) => {
    if (sent === notSent) throw usage('give --sent or --not-sent', 'see bizmsg runs show <id> --outcome unsure');
    const [{ resolveRows }, { sayingOnce }, { stateFolder, process: own }] = await Promise.all([
      import('../../runs/maintenance.ts'),
      import('../../base/journal-lines.ts'),
      context.sandboxes(),
    ]);
    const onDamage = sayingOnce((text) => context.note('run-log', text));
    return resolveRows({ stateFolder, own, id, found: sent ? 'sent' : 'not-sent', lines, onDamage });
  },
  view: ({ run, rows, found }) =>
    `Recorded as ${found === 'sent' ? 'sent' : 'not sent'}: ${rows === 1 ? '1 row' : `${rows} rows`} of run ${run}`,
});

/** Whether a line is in a list such as 12,40-44. */
function lineSet(text: string): (line: number) => boolean {
  const ranges = text.split(',').map((part) => {
    const [, from, to = from] = /^\s*(\d+)(?:\s*-\s*(\d+))?\s*$/.exec(part) ?? [];
    if (from === undefined || to === undefined || Number(from) > Number(to))
      throw usage(`"${part}" is not a line or a range of lines`, 'such as 12,40-44');
    return [Number(from), Number(to)] as const;
  });
  return (line) => ranges.some(([from, to]) => line >= from && line <= to);
}
