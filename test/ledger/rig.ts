import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { contactRow, messageRow } from '../../src/ledger/identity.ts';
import { createInput } from '../../src/ledger/input.ts';
import {
  type Accepted,
  type Choice,
  type Fate,
  fates,
  type RunPlan,
  type Registered,
  type RowDigest,
  type Stop,
} from '../../src/ledger/ledger.ts';
import type { Process } from './machine.ts';

export const secret = '07'.repeat(32);
export const hour = 3_600_000;
export const day = 24 * hour;
export const account = 'https://api.example.com';

/** `ada:1` is a message to Ada with the param 1, and `ada:1:may` one for the occasion may. */
export function message(text: string): RowDigest {
  const [to = '', param = '', ...per] = text.split(':');
  return messageRow(secret, { template: 'welcome', to, params: [param], per });
}

/** `Ada:1` is a contact with the phone Ada and the name 1. */
function contact(text: string): RowDigest {
  const [phone = '', name = ''] = text.split(':');
  return contactRow(secret, { phone, body: { phone, name } });
}

export function messages(text: string): readonly RowDigest[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((row) => message(row));
}

export interface PlanOptions extends Partial<Omit<RunPlan, 'choice' | 'input'>>, Choice {
  readonly file?: string;
}

/** A plan of the named rows, separated by spaces. The first is on line 2. */
export function planOf(text: string, options: PlanOptions = {}): RunPlan {
  const { kind = 'message', mode = 'live' } = options;
  const input = createInput();
  for (const row of text.split(' ').filter(Boolean)) input.add(kind === 'message' ? message(row) : contact(row));
  const { skipSent, again, seen, besides, firstOfEach, retryUnsure, atMost, file = 'people.csv', ...rest } = options;
  const goesOn = options.continue;
  const choice = { skipSent, again, seen, besides, firstOfEach, continue: goesOn, retryUnsure, atMost };
  const about = {
    command: 'send-batch',
    typed: 'bizmsg send-batch welcome',
    file,
    rows: input.count,
    invalid: 0,
  };
  return { account, template: 'welcome', about, lineOf: (row) => row + 2, ...rest, mode, kind, input, choice };
}

/** The row of the input as the ledger stores it. */
export function rowOf({ input }: RunPlan, row: number): RowDigest {
  return input.read(row).slice();
}

export function fatesIn({ fates: codes }: Accepted): readonly (Fate | undefined)[] {
  return [...codes].map((code) => fates[code]);
}

export function accepted(registered: Registered): Accepted {
  if (registered.stop) throw new Error(`it stopped: ${JSON.stringify(registered)}`);
  return registered;
}

export function stopOf(registered: Registered): Stop {
  if (!registered.stop) throw new Error(`it did not stop: ${JSON.stringify(registered.counts)}`);
  return registered.stop;
}

export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'bizmsg-ledger-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Registers, claims all rows that are due, settles them, and ends the run. */
export async function sendAll(ledger: Process, plan: RunPlan): Promise<Accepted> {
  const result = await sendAllRows(ledger, plan);
  await ledger.endRun(result.run);
  return result;
}

/** The same without the end of the run. */
export async function sendAllRows(ledger: Process, plan: RunPlan): Promise<Accepted> {
  const result = accepted(await ledger.register(plan));
  const due = [...result.fates].flatMap((code, row) => (fates[code] === 'due' || fates[code] === 'retry' ? [row] : []));
  const rows = due.map((row) => rowOf(plan, row));
  const terms = { run: result.run, retryUnsure: plan.choice.retryUnsure };
  const verdicts = await ledger.claim(rows, terms);
  const own = rows.filter((_, at) => verdicts[at]?.verdict === 'yours');
  await ledger.settle(own.map((row) => ({ run: result.run, row, outcome: 'done' })));
  return result;
}
