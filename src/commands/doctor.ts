import { command, type Context, type Ui } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { counted } from '../cli/output/figures.ts';
import { flag } from '../cli/params.ts';
import type { Check } from '../doctor/diagnose.ts';

export const doctor = command({
  name: 'doctor',
  summary: 'Check this machine, the profile and the service',
  details: `It checks Node, the state folder with the record of what was sent, the profile and its key, the service
    with one GET, and the clock. Each problem comes with the step that fixes it. Doctor changes nothing and does not
    start a sandbox. The exit code is that of the first failure; warnings exit with 0. With -o all checks are listed.
    If the record is older than it was, such as a backup, messages are refused (exit 11) until --accept-loss: whom it
    does not know may get one again.`,
  params: {
    all: flag('--all', 'also the checks that found no problem'),
    acceptLoss: flag('--accept-loss', 'go on with a record that is older than it was'),
  },
  examples: ['doctor --profile local', 'doctor --all --profile local', 'doctor --profile local -o json'],
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  run: async (context, { all, acceptLoss }) => {
    if (acceptLoss) await acceptLossOf(context);
    const { diagnose } = await import('../doctor/diagnose.ts');
    return { ...(await diagnose(context)), all };
  },
  data: ({ checks }) => checks,
  view: ({ checks, all }, ui) => doctorText(checks, all, ui),
  exit: ({ exit }) => exit,
});

async function acceptLossOf(context: Context): Promise<void> {
  const { acceptLoss, hasLoss } = await import('../doctor/diagnose.ts');
  if (!(await hasLoss(context))) return context.note('no-loss', 'the record of what was sent has lost nothing');
  await context.confirm('People of whom this older record does not know may get messages again. Go on with it?');
  await acceptLoss(context);
}

/** Problems with their remedies, then what is fine. */
function doctorText(checks: readonly Check[], all: boolean, ui: Ui): string {
  const fine = checks.filter(({ status }) => status === 'pass');
  const problems = checks.filter((check) => !fine.includes(check));
  const lines = (all ? [...problems, ...fine] : problems).map((check) => checkText(check, ui));
  const end = `${counted(fine.length, 'check')} ${fine.length === 1 ? 'is' : 'are'} fine.`;
  return [...lines, ...(all ? [] : [problems.length === 0 ? ui.color.green(end) : end])].join('\n');
}

const words = { pass: 'ok', warn: 'warn', fail: 'fail', skip: 'skip' } as const;
const colors = { pass: 'green', warn: 'yellow', fail: 'red', skip: 'dim' } as const;

function checkText({ status, name, message, remedy }: Check, ui: Ui): string {
  const indent = ' '.repeat(15);
  const word = ui.color[colors[status]](words[status].padEnd(4));
  const line = ui.line([`${word}  ${name.padEnd(7)}`, message], indent);
  return remedy === null ? line : `${line}\n${ui.line([`${indent}${remedy}`], indent)}`;
}
