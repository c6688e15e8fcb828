import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { required } from '../../cli/params.ts';
import { redact } from '../../redact.ts';
import { shellWord } from '../../shell-word.ts';
import { runRow } from './run-row.ts';

export const showRun = command({
  name: 'show',
  summary: 'Show how far a run came, and why rows failed or are unsure',
  params: { id: required('<id>', 'the id of a run, from runs list, or how it begins') },
  examples: ['runs show 3f9a1c20be', 'runs show 3f9a1c20be -o json'],
  sample: 'id: 3f9a1c20be\nstate: finished\nkind: import\ninput: people.csv\n…\nrows: 2\ndone: 2\nfailed: 0\n…',
  honours: printing,
  piped: 'text',
  run: async (context, { id: given }) => {
    const [{ idOf, readRun, verdictsOf }, { stateFolder, process: own }] = await Promise.all([
      import('../../bulk/run/runs.ts'),
      context.sandboxes(),
    ]);
    const id = idOf(stateFolder, given);
    const run = readRun(stateFolder, id, own.kill);
    const told = [...verdictsOf(stateFolder, id, own.kill)];
    const { seconds, stopped } = run.summary;
    return {
      ...runRow(run),
      key: run.facts.key,
      flags: run.facts.flags.map((word) => redact(word)),
      seconds,
      stopped: stopped ?? null,
      not_done: told.map(({ outcome, line, reason }) => ({ line, outcome, reason })),
    };
  },
  view: ({ not_done: verdicts, flags, stopped, ...facts }) => {
    const lines = Object.entries(facts).map(([name, value]) => `${name}: ${String(value ?? '')}`);
    if (stopped) lines.push(`stopped: ${stopped.message}`);
    lines.push(`typed: ${['bizmsg', ...flags].map(shellWord).join(' ')}`);
    return [...lines, ...verdicts.map(({ line, outcome, reason }) => `line ${line}: ${outcome}: ${reason}`)].join('\n');
  },
});
