import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../src/base/sqlite.ts';
import type { Database } from '../../src/base/transaction.ts';
import { type Batch, batchWithId, type Scope } from '../../src/store/batch.ts';
import { addRows, type NewRow, openDraft } from '../../src/store/draft.ts';
import { apply, begin } from '../../src/store/load.ts';
import { schema } from '../../src/store/schema.ts';
import { admitSingle } from '../../src/store/single.ts';
import { type Answer, claim, release, settle } from '../../src/store/work.ts';
import type { CliOptions, Ran } from '../support/cli.ts';
import { logsIn, machine } from '../webhooks/rig.ts';
import { access, service } from './access-rig.ts';
import { newId } from '../store/rig.ts';
import { identify } from '../../src/store/marks.ts';

/** Friday, 28 November 2025, 16:10 in UTC. */
export const friday = Date.UTC(2025, 10, 28, 16, 10);

/** A row of a file, and what the service answers; without an answer it waits. */
export interface Person {
  readonly phone?: string;
  readonly name?: string;
  readonly order?: string;
  readonly text?: string;
  readonly problem?: string;
  readonly answer?: Answer;
}

export interface BatchOptions {
  readonly name?: string;
  readonly scope?: Partial<Scope>;
  readonly target?: Batch;
  readonly per?: string;
  readonly columns?: string;
  readonly at?: number;
  /** The process that still works on it. */
  readonly worker?: string;
}

export const sent: Answer = { kind: 'sent', messageId: 'msg_1' };
export const refused: Answer = { kind: 'failed', reason: 'refused: unknown number', code: 'rejected' };
export const silent: Answer = { kind: 'unsure', reason: 'the connection broke', code: 'connection-lost' };

/** A machine whose profile in use is `blumen`, with a live key. */
export async function batchMachine() {
  const { home, run: runLine, login } = access();
  await login('blumen', 'sk_live_0123456789abcdef');
  await runLine('keys switch-mode live --yes --profile blumen');
  const stateFolder = join(home, '.local/state/bizmsg');
  const open = async (name: 'ledger' | 'local') => {
    const database = await openStore(join(stateFolder, `${name}.db`));
    await identify(database, newId());
    return database;
  };
  const run = (line: string | readonly string[], options: Partial<CliOptions> = {}): Promise<Ran> =>
    runLine(line, '', options);
  return {
    home,
    login,
    stateFolder,
    open,
    run,
    logs: (now: () => number) => logsIn(stateFolder, now),
    json: async (line: string, options: Partial<CliOptions> = {}) =>
      JSON.parse((await run(`${line} -o json`, options)).stdout),
  };
}

export async function openStore(path: string): Promise<Database> {
  const options = { host: machine, schema, sync: 'OFF', isDisposable: false, note() {} } as const;
  const database = await openDatabase(path, options);
  onTestFinished(() => database.close());
  return database;
}

const usual: Scope = { account: service, mode: 'live', kind: 'message', template: 'sale' };

/** Loads a batch, and sends the rows that have an answer. */
export async function makeBatch(
  database: Database,
  people: readonly Person[],
  { name = 'autumn', at = friday, target, per = '', ...options }: BatchOptions = {},
): Promise<Batch> {
  const { worker = 'worker' } = options;
  const scope = { ...usual, ...options.scope };
  const draft = await openDraft(database, { id: newId(), scope, target, now: at });
  const rows = people.map((person, index) => rowOf(person, index, scope));
  await addRows(database, draft, rows, at);
  const plan = { draft, file: '/home/ada/people.csv', againAt: 0, resend: [], dropsExcluded: false, now: at };
  const { columns = '{"names":["phone","name"],"separator":";"}' } = options;
  const batch = await begin(database, plan, { name, per, told: '{}', command: '["send-batch"]', columns }, worker);
  await apply(database, plan, { batch, worker, clock: () => at });
  const turn = { id: batch.id, worker, isOfFile: false, resend: [], now: at };
  for (const [index, { answer }] of people.entries()) {
    if (!answer) continue;
    const claims = await claim(database, { ...turn, after: index, upTo: index + 1 });
    if (claims.kind === 'claimed' && claims.row)
      await settle(database, { batch: batch.id, worker, claim: claims.row, answer, now: at });
  }
  if (options.worker === undefined) await release(database, batch.id, worker, at);
  return (await database.read(() => batchWithId(batch.id))) ?? batch;
}

/** A machine with a batch of the ledger. */
export async function machineWith(people: readonly Person[], options: BatchOptions = {}) {
  const machine = await batchMachine();
  const ledger = await machine.open('ledger');
  return { ...machine, ledger, batch: await makeBatch(ledger, people, options) };
}

function rowOf({ phone, name = '', order, text, problem }: Person, at: number, { template }: Scope): NewRow {
  const params = [name, text ?? '20 %'];
  return {
    n: at + 1,
    line: at + 2,
    phone: problem === undefined ? phone : undefined,
    per: order ?? '',
    body: JSON.stringify({ to: phone, template, params }),
    cells: JSON.stringify({ phone: phone ?? '', name, ...(order !== undefined && { order }) }),
    problem,
  };
}

/** A single message, with its answer. */
export async function sendSingle(
  database: Database,
  phone: string,
  answer: Answer,
  at = friday,
  kind: 'message' | 'test' = 'message',
): Promise<void> {
  const body = JSON.stringify({ to: phone, template: 'sale', params: ['Ada', '10 %'] });
  const message = { scope: { ...usual, kind }, phone, body, isAgain: false };
  const admitted = await admitSingle(database, { ...message, worker: 'worker', now: at });
  if (admitted.kind !== 'admitted') throw new Error(admitted.kind);
  await settle(database, { batch: '', worker: 'worker', claim: admitted.claim, answer, now: at });
}
