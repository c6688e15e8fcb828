import type { Context, Ui } from '../../cli/command.ts';
import { type Accepted, toldOf } from '../../conformance/accepted.ts';
import { examine, plannedCalls } from '../../conformance/examine.ts';
import { reportText } from '../../conformance/report-text.ts';
import type { Report } from '../../conformance/report.ts';
import type { Ask } from '../../conformance/sightings.ts';
import type { Facts } from '../../conformance/verdict.ts';
import { plannedIn, planWrites } from '../../conformance/writes.ts';
import type { CliError, ExitName } from '../../base/errors.ts';
import { findRows } from '../../cli/output/rows.ts';
import { nested } from '../body.ts';
import type { ContractInput } from './contract-params.ts';

/** The service beside the document, how that reads, and what it exits with. */
export interface Compared {
  readonly report: Report;
  /** The clauses alone, where each is to be a line. */
  readonly data: Report | Report['clauses'];
  readonly text: (report: Report, ui: Ui) => string;
  readonly exit: ExitName | CliError;
  /** Something was written. */
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

/** What is about to happen with a live key. */
function question({ writes }: Facts, { to, template }: ContractInput): string {
  const what = [
    ...('probe' in writes.message ? [`send ${template} to ${to}`] : []),
    ...('probe' in writes.contact ? ['create a contact'] : []),
  ];
  const text = what.join(' and ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}, with a live key?`;
}

function warn(context: Context, one: Accepted): void {
  context.note('accepted', `what had to be refused was taken: ${toldOf(one)}; bizmsg activity lists it`);
}

function announce(context: Context, facts: Facts): void {
  const writes = plannedIn(facts.writes).length;
  const changing = writes === 0 ? 'GETs, and what has to be refused' : `${writes} of them write`;
  context.note('calls', `${plannedCalls(facts)} calls, one after the other: ${changing}`);
}
