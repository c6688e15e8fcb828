import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { newestLast, newestOf } from '../newest-last.ts';
import { localSandbox } from './control.ts';
import { effectText } from './fault.ts';
import { wordsFor } from './names.ts';

type Adjustment = OutputOf<'adjustments'>[number];

export const sandboxAdjustments = command({
  name: 'adjustments',
  summary: 'List the changes of the clock and the faults, newest last',
  details: 'The sandbox keeps the last 200 since it was started. Times are those of its clock.',
  params: newestLast,
  examples: ['sandbox adjustments', 'sandbox adjustments --limit 20 -o json'],
  sample: 'at\twhat\tabout\n2026-05-01T…\tfault added\tflt_5c1f2a9e0b00001c: status 500 on send-template',
  accepts: printOptions,
  piped: 'rows',
  run: async (context, { limit }) => {
    const sandbox = await localSandbox(context);
    return newestOf(context, limit, async (most) => (await sandbox.ask('adjustments', { limit: most })).map(row));
  },
  view: () => 'No changes yet',
});

function row(adjustment: Adjustment) {
  return { at: iso(adjustment.at), what: words[adjustment.kind], about: about(adjustment) };
}

const words: Readonly<Record<Adjustment['kind'], string>> = {
  frozen: 'clock frozen',
  real: 'clock real',
  advanced: 'clock advanced',
  fault: 'fault added',
  'fault-cleared': 'fault cleared',
};

function about(adjustment: Adjustment): string | null {
  if (adjustment.kind === 'advanced') return `to ${iso(adjustment.to)}`;
  if (adjustment.kind === 'fault-cleared') return adjustment.fault;
  if (adjustment.kind !== 'fault') return null;
  const { id, on, effect } = adjustment.fault;
  return `${id}: ${effectText(effect)} on ${wordsFor(on)}`;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
