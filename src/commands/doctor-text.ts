import type { Ui } from '../cli/command.ts';
import type { Check, Diagnosis } from '../doctor/check.ts';

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
