import { command, type Ui } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { flag } from '../cli/params.ts';
import { type Candidate, describeCaller } from '../session/profiles/explain.ts';

export const whoami = command({
  name: 'whoami',
  summary: 'Show which profile, key and address are used, and why',
  details: 'This command makes no API calls.',
  params: { explain: flag('--explain', 'show every possible source of a key, and why it is used or not') },
  examples: ['whoami --profile local', 'whoami --explain --profile local'],
  sample:
    'Profile  local\nSource   --profile\nMode     sandbox\nAddress  http://127.0.0.1:4780\nKey      sk_test_…f167',
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  piped: 'text',
  run: async (context, { explain }) => {
    const { winner, problem, candidates } = await describeCaller(context);
    if (!explain && problem) throw problem;
    const shown = { ...winner, ...(explain && { candidates, problem: problem?.message ?? null }) };
    return { shown, exit: problem?.exit, hint: problem?.hint };
  },
  data: ({ shown }) => shown,
  view: ({ shown, hint }, ui) =>
    [
      ...winnerLines(shown, hint),
      ...(shown.candidates ?? []).flatMap((candidate) => candidateLines(candidate, ui)),
    ].join('\n'),
  exit: ({ exit }) => exit ?? 'done',
});

function winnerLines(
  { profile, source, mode, address, key, problem }: Readonly<Record<string, unknown>>,
  hint: string | undefined,
): readonly string[] {
  if (source === undefined) return [`No key: ${String(problem)}`, ...(hint === undefined ? [] : [hint])];
  return [
    `Profile  ${text(profile, 'none, the environment')}`,
    `Source   ${source === 'newcomer' ? 'the default, as there is no profile yet' : text(source)}`,
    `Mode     ${text(mode)}`,
    `Address  ${text(address, 'the local sandbox, started on demand')}`,
    `Key      ${text(key, 'created when the sandbox starts')}`,
  ];
}

function candidateLines({ source, wins, why, ...offered }: Candidate, ui: Ui): readonly string[] {
  const offer = [offered.profile, offered.address, offered.mode, offered.key].filter((part) => part !== undefined);
  const verdict = wins ? ui.color.green('used') : 'not used';
  return [
    '',
    ui.line([`${source === 'newcomer' ? 'the local sandbox' : source}: ${verdict}, ${why}`]),
    ...(offer.length > 0 ? [`  offers ${offer.join(' · ')}`] : []),
  ];
}

function text(value: unknown, missing = ''): string {
  return typeof value === 'string' ? value : missing;
}
