import { usage } from '../base/errors.ts';
import { command, type Ui } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import type { Check, Diagnosis } from '../doctor/check.ts';
import { checkContract, contractParams } from './doctor-contract.ts';

export const doctor = command({
  name: 'doctor',
  summary: 'Check this machine, the profile, the network and the service, and say what to do',
  details: [
    'It changes nothing and starts no sandbox. It makes one GET for each list that the API has, which counts',
    'as any call does. The exit code is that of the first failure; warnings are exit 0. In ndjson, csv and tsv',
    'each check is a line.',
    '',
    "With --contract the service is compared with the API's document: what holds, what differs (exit 12), what",
    'cannot be told, and how it does what the document does not show. It makes some twenty calls, GETs and',
    'requests that have to be refused, and writes nothing without --allow-writes. Where one of these is accepted,',
    'it says so with its message_id, and posts no more there; with a live key, nowhere. No value of a record is shown.',
  ].join('\n'),
  params: contractParams,
  examples: [
    'doctor --profile local',
    'doctor --profile local -o json',
    'doctor --contract --profile local',
    'doctor --contract --allow-writes 2 --to +12025550101 --template welcome --profile local',
  ],
  sample:
    'This machine\n  …\n  ok    store        1 profile\n  …\nService\n  ok    contacts     answered in 12 ms\n  …',
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  piped: 'text',
  run: async (context, input) => {
    checkContract(input);
    const { output, columns, query } = context.given;
    if (output === 'id' && query === undefined)
      throw usage('doctor has no id to print', 'leave -o id out, or take -o json');
    const isRows = query === undefined && (columns !== undefined || ['ndjson', 'csv', 'tsv'].includes(output ?? ''));
    if (!input.contract) {
      const { diagnose } = await import('../doctor/diagnose.ts');
      return { ...(await diagnose(context.session)), isRows };
    }
    const { compare } = await import('./doctor-contract.ts');
    return compare(context, input, isRows);
  },
  data: (result) => {
    if ('report' in result) return result.data;
    const { isRows, checks, calls, exit } = result;
    return isRows ? checks : { checks, calls, exit };
  },
  view: (result, ui) => ('report' in result ? result.text(result.report, ui) : doctorText(result, ui)),
  exit: ({ exit }) => exit,
  changes: (result) => 'report' in result && result.changed,
});

const titles = { machine: 'This machine', profile: 'Profile', network: 'Network', service: 'Service' } as const;
const words = { pass: 'ok', warn: 'warn', fail: 'fail', skip: 'skip' } as const;
const colors = { pass: 'green', warn: 'yellow', fail: 'red', skip: 'dim' } as const;

/** A line each, and beneath it what to do. */
export function doctorText({ checks, calls }: Diagnosis, ui: Ui): string {
  const column = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap((check, at) => {
    const [before, after] = [checks[at - 1], checks[at + 1]];
    const title = check.group === before?.group ? [] : [ui.color.bold(titles[check.group])];
    return [...(before && title.length > 0 ? [''] : []), ...title, ...checkLines(check, { after, column, ui })];
  });
  return [...lines, '', ui.line([said(calls)], ''), summary(checks, ui)].join('\n');
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
  // One remedy for several is said once, beneath the last.
  if (remedy === null || remedy === after?.remedy) return [line];
  return [line, ui.line([`${indent}  ${remedy}`], `${indent}  `)];
}

function said(calls: number): string {
  if (calls === 0) return 'No call was made to the service.';
  const what = calls === 1 ? '1 call made; it counts' : `${calls} calls made; each counts`;
  return `${what} against the plan's minute and stands in the key's audit log.`;
}

function summary(checks: readonly Check[], { color }: Ui): string {
  const count = (wanted: Check['status']) => checks.filter(({ status }) => status === wanted).length;
  const [fails, warnings] = [count('fail'), count('warn')];
  const warned = warnings === 0 ? '' : `${warnings} warning${warnings === 1 ? '' : 's'}`;
  if (fails === 0) return warned === '' ? color.green('All is well.') : `Nothing fails; ${warned}.`;
  return `${color.red(`${fails} failure${fails === 1 ? '' : 's'}`)}${warned === '' ? '' : `, ${warned}`}.`;
}
