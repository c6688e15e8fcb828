import { type CliError, type ExitName, usage } from '../base/errors.ts';
import type { Context, Ui } from '../cli/command.ts';
import { findRows } from '../cli/output/rows.ts';
import { count, flag, type Input, knowing, option, phone, repeated, setting } from '../cli/params.ts';
import { examine, plannedCalls, type Report } from '../doctor/contract/compare.ts';
import { type Accepted, type Ask, toldOf } from '../doctor/contract/observations.ts';
import { plannedIn, planWrites } from '../doctor/contract/probes.ts';
import { reportText } from '../doctor/contract/report-text.ts';
import type { Facts } from '../doctor/contract/verdict.ts';
import { nested } from './body.ts';

/** The result of comparing the service with the API's document. */
export interface Compared {
  readonly report: Report;
  /** Formats with rows print only the clauses. */
  readonly data: Report | Report['clauses'];
  readonly text: (report: Report, ui: Ui) => string;
  readonly exit: ExitName | CliError;
  /** True if the comparison sent real writes. */
  readonly changed: boolean;
}

export async function compare(context: Context, input: ContractInput, isRows: boolean): Promise<Compared> {
  const { target, observe } = await context.clientForRun({ concurrency: 1 });
  const { allowWrites: most = 0, to, template, params, set } = input;
  const contact = set.length > 0 ? nested(set) : undefined;
  const writes = planWrites(to === undefined ? undefined : { most, to, template, params, contact });
  const { address, shownKey, mode } = target;
  const facts = { address, shownKey, isSandbox: mode === 'sandbox', writes };
  if (mode !== 'sandbox' && plannedIn(writes).length > 0) await context.confirm(question(facts, input));
  announce(context, facts);
  const ask: Ask = ({ method, path, key, body }) => observe({ method, path, body }, key);
  const { report, fault } = await examine({ ask, find: findRows, facts, onAccepted: (one) => warn(context, one) });
  const differs = report.clauses.some(({ verdict }) => verdict === 'differs');
  return {
    report,
    data: isRows ? report.clauses : report,
    text: (safe, ui) => reportText(safe, { address, key: shownKey }, ui),
    exit: fault ?? (differs ? 'opposite' : 'done'),
    changed: plannedIn(writes).length > 0,
  };
}

/** The confirmation before writes with a live key. */
function question({ writes }: Facts, { to, template }: ContractInput): string {
  const what = [
    ...('probe' in writes.message ? [`send ${template} to ${to}`] : []),
    ...('probe' in writes.contact ? ['create a contact'] : []),
  ];
  const text = what.join(' and ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}, with a live key?`;
}

function warn(context: Context, one: Accepted): void {
  context.note('accepted', `the service accepted an invalid request: ${toldOf(one)}; bizmsg activity lists it`);
}

function announce(context: Context, facts: Facts): void {
  const writes = plannedIn(facts.writes).length;
  const changing = writes === 0 ? 'GETs and invalid requests' : `${writes} of them write`;
  context.note('calls', `${plannedCalls(facts)} calls, one at a time: ${changing}`);
}

/** Options of the comparison with the document. */
export const contractParams = {
  contract: flag('--contract', "compare the service with the API's document, clause by clause"),
  allowWrites: option(
    '--allow-writes <n>',
    'with --contract: at most n real writes, a message and a contact (default: 0)',
    count,
  ),
  to: option('--to <phone>', 'recipient of that message, and phone of that contact', phone),
  template: knowing(
    { of: 'templates' },
    option('--template <name>', 'approved template of that message (default: send no message)'),
  ),
  params: repeated('-p, --param <value>', "the value of the template's next variable"),
  set: repeated('--set <key=value>', 'a field of that contact, as text (default: only its phone)', setting),
} as const;

export type ContractInput = Input<typeof contractParams>;

export function checkContract({ contract, allowWrites, to, template, params, set }: ContractInput): void {
  const writeOptions = [
    ['--to', to !== undefined],
    ['--template', template !== undefined],
    ['--param', params.length > 0],
    ['--set', set.length > 0],
  ] as const;
  const first = writeOptions.find(([, isGiven]) => isGiven)?.[0];
  if (!contract && (first !== undefined || allowWrites !== undefined)) {
    throw usage(`${first ?? '--allow-writes'} needs --contract`, 'add --contract');
  }
  if (first !== undefined && !allowWrites) {
    throw usage(`${first} needs --allow-writes`, 'add --allow-writes 1 or 2');
  }
  if (allowWrites && to === undefined) throw usage('--allow-writes needs a recipient', 'add --to <phone>');
}
