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
  type Kind,
  type Ledger,
  type RunPlan,
  type Registered,
  type RowDigest,
  type Stop,
} from '../../src/ledger/ledger.ts';
import { type FileLedger, type FileLedgerOptions, openFileLedger } from '../../src/ledger/file/file-ledger.ts';
import { alive, later } from '../support/cli.ts';

export const secret = '07'.repeat(32);
export const hour = 3_600_000;
export const day = 24 * hour;
export const account = { id: 'profile:acme', origin: 'https://api.example.com', isKeyDigest: false };

/** `Ada:1` is a message to Ada with the param 1. */
export function message(text: string): RowDigest {
  const [to = '', param = ''] = text.split(':');
  return messageRow(secret, { mode: 'live', template: 'welcome', to, params: [param] });
}

/** `Ada:1` is a contact with the phone Ada and the name 1. */
function contact(text: string): RowDigest {
  const [phone = '', name = ''] = text.split(':');
  return contactRow(secret, { mode: 'live', phone, body: { phone, name } });
}

export function messages(text: string): readonly RowDigest[] {
  return text.split(' ').filter(Boolean).map(message);
}

export interface PlanOptions extends Partial<Omit<RunPlan, 'choice' | 'input'>>, Choice {}

/** A plan of the named rows, separated by spaces. */
export function planOf(text: string, options: PlanOptions = {}): RunPlan {
  const kind: Kind = options.kind ?? 'message';
  const input = createInput();
  for (const row of text.split(' ').filter(Boolean)) input.add(kind === 'message' ? message(row) : contact(row));
  const { newOnly, again, changed, retryUnsure, atMost, ...rest } = options;
  const choice = { newOnly, again, continue: options.continue, changed, retryUnsure, atMost };
  return { account, mode: 'live', template: 'welcome', ...rest, kind, input, choice };
}

/** The row of the input as the ledger stores it. */
export function rowOf({ input }: RunPlan, row: number): RowDigest {
  return input.bytes.slice(row * 20, row * 20 + 20);
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

export interface OpenOptions extends Partial<Omit<FileLedgerOptions, 'folder' | 'owner'>> {
  /** Default: this process. */
  readonly pid?: number;
  readonly kill?: FileLedgerOptions['owner']['kill'];
}

/** A ledger in files, for a local sandbox. */
export function openLedger(folder: string, { pid = process.pid, kill = alive, ...rest }: OpenOptions = {}): FileLedger {
  const world = { owner: { pid, kill }, now: Date.now, later, random: Math.random };
  return openFileLedger({ folder, ...world, isLocal: true, onRepaired: () => {}, ...rest });
}

export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'bizmsg-ledger-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Registers, claims all rows that are due, settles them, and ends the run. */
export async function sendAll(ledger: Ledger, plan: RunPlan): Promise<Accepted> {
  const result = await sendAllRows(ledger, plan);
  await ledger.endRun(result.run);
  return result;
}

/** The same without the end of the run. */
export async function sendAllRows(ledger: Ledger, plan: RunPlan): Promise<Accepted> {
  const result = accepted(await ledger.register(plan));
  const due = [...result.fates].flatMap((code, row) => (fates[code] === 'due' || fates[code] === 'retry' ? [row] : []));
  const rows = due.map((row) => rowOf(plan, row));
  const { again, retryUnsure } = plan.choice;
  const terms = { run: result.run, retryUnsure, ignoreOthers: again ?? plan.job !== undefined };
  const verdicts = await ledger.claim(rows, terms);
  const own = rows.filter((_, at) => verdicts[at]?.verdict === 'yours');
  await ledger.settle(own.map((row) => ({ run: result.run, row, outcome: 'done' })));
  return result;
}
