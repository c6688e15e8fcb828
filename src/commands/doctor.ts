import { usage } from '../base/errors.ts';
import { command, type Ui } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { counted } from '../cli/output/figures.ts';
import type { Check, Diagnosis } from '../doctor/check.ts';

export const doctor = command({
  name: 'doctor',
  summary: 'Check this machine, the profile, the network and the service',
  details: [
    'Each problem comes with the command that fixes it. Doctor changes nothing and does not start a sandbox. It',
    'makes one GET per list of the API; these count toward the rate limit. The exit code is that of the first',
    'failure; warnings exit with 0. In ndjson, csv and tsv each check is a line.',
  ].join('\n'),
  examples: ['doctor --profile local', 'doctor --profile local -o json'],
  sample:
    'This machine\n  …\n  ok    store        1 profile\n  …\nService\n  ok    contacts     answered in 12 ms\n  …',
  params: {},
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  piped: 'text',
  run: async (context) => {
    const { output, columns, query } = context.given;
    if (output === 'id' && query === undefined)
      throw usage('doctor has no id to print', 'remove -o id, or use -o json');
    const isRows = query === undefined && (columns !== undefined || ['ndjson', 'csv', 'tsv'].includes(output ?? ''));
    const { diagnose } = await import('../doctor/diagnose.ts');
    return { ...(await diagnose(context)), isRows };
  },
  data: ({ isRows, checks, calls, exit }) => (isRows ? checks : { checks, calls, exit }),
  view: (result, ui) => doctorText(result, ui),
  exit: ({ exit }) => exit,
});

const titles = {
  machine: 'This machine',
  profile: 'Profile',
  network: 'Network',
  service: 'Service',
} as const;
const words = { pass: 'ok', warn: 'warn', fail: 'fail', skip: 'skip' } as const;
const colors = { pass: 'green', warn: 'yellow', fail: 'red', skip: 'dim' } as const;

/** One line per check, with its fix below. */
export function doctorText({ checks, calls }: Diagnosis, ui: Ui): string {
  const column = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap((check, at) => {
    const [before, after] = [checks[at - 1], checks[at + 1]];
    const title = check.group === before?.group ? [] : [ui.color.bold(titles[check.group])];
    return [...(before && title.length > 0 ? [''] : []), ...title, ...checkLines(check, { after, column, ui })];
  });
  return [...lines, '', ui.line([callNote(calls)], ''), summary(checks, ui)].join('\n');
}

interface Layout {
  readonly after: Check | undefined;
  readonly column: number;
  readonly ui: Ui;
}

function checkLines({ status, name, message, remedy }: Check, { after, column, ui }: Layout): readonly string[] {
  const isNarrow = ui.terminal && ui.width < 60;
  const indent = ' '.repeat(isNarrow ? 8 : 10 + column);
  const word = ui.color[colors[status]](words[status].padEnd(4));
  const line = ui.line([`  ${word}  ${isNarrow ? name : name.padEnd(column)}`, message], indent);
  // Consecutive checks with the same fix show it once, below the last one.
  if (remedy === null || remedy === after?.remedy) return [line];
  return [line, ui.line([`${indent}  ${remedy}`], `${indent}  `)];
}

function callNote(calls: number): string {
  if (calls === 0) return 'No API calls made.';
  const made = calls === 1 ? '1 API call made; it counts' : `${calls} API calls made; each counts`;
  return `${made} toward the rate limit and appears in the key's audit log.`;
}

function summary(checks: readonly Check[], { color }: Ui): string {
  const count = (wanted: Check['status']) => checks.filter(({ status }) => status === wanted).length;
  const [fails, warnings] = [count('fail'), count('warn')];
  const warned = warnings === 0 ? '' : counted(warnings, 'warning');
  if (fails === 0) return warned === '' ? color.green('No problems.') : `No failures; ${warned}.`;
  return `${color.red(counted(fails, 'failure'))}${warned === '' ? '' : `, ${warned}`}.`;
}
