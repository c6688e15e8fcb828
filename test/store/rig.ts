import type { Database } from '../../src/base/transaction.ts';
import { type Batch, batchWithId, type Scope } from '../../src/store/batch.ts';
import type { Plan, Resend } from '../../src/store/decide.ts';
import { addRows, type NewRow, openDraft } from '../../src/store/draft.ts';
import { apply, begin } from '../../src/store/load.ts';
import { reportRows, type ReportRow } from '../../src/store/views.ts';
import { type Answer, claim, release, settle } from '../../src/store/work.ts';

export const hour = 3_600_000;
export const start = 1_700_000_000_000;
export const scope = { account: 'A', mode: 'live', kind: 'message', template: 'T' } as const satisfies Scope;
export const worker = 'worker';

let ids = 0;

export function newId(): string {
  return (++ids).toString(16).padStart(12, 'b');
}

export interface Person {
  readonly phone?: string;
  readonly text?: string;
  readonly per?: string;
  readonly name?: string;
  readonly problem?: string;
  readonly fixes?: number;
}

function rowsOf(people: readonly Person[]): readonly NewRow[] {
  return people.map(({ phone, text = 'hi', per = '', name = '', problem, fixes }, at) => ({
    n: at + 1,
    line: at + 1,
    phone: problem === 'no phone number' ? undefined : phone,
    per,
    body: text,
    cells: JSON.stringify({ phone, name }),
    problem,
    fixes,
  }));
}

export interface LoadOptions {
  readonly name?: string;
  readonly target?: Batch | undefined;
  readonly scope?: Scope;
  readonly per?: string;
  readonly file?: string;
  readonly againAt?: number;
  readonly resend?: readonly Resend[];
  readonly now?: number;
  readonly pieceSize?: number;
}

export async function planOf(database: Database, people: readonly Person[], options: LoadOptions = {}): Promise<Plan> {
  const { target, againAt = target?.againAt ?? 0, resend = [], now = start, file = 'people.csv' } = options;
  const draft = await openDraft(database, { id: newId(), scope: options.scope ?? scope, target, now });
  await addRows(database, draft, rowsOf(people), now);
  return { draft, file, againAt, resend, dropsExcluded: false, now };
}

/** Loads people into a batch, which then has a worker. */
export async function load(database: Database, people: readonly Person[], options: LoadOptions = {}): Promise<Batch> {
  const plan = await planOf(database, people, options);
  const name = options.target?.name ?? options.name ?? 'autumn';
  const kept = { name, per: options.per ?? '', told: '{}', command: 'send-batch', columns: '[]' };
  const batch = await begin(database, plan, kept, worker);
  const loading = { batch, worker, clock: () => plan.now };
  await apply(database, plan, { ...loading, ...(options.pieceSize && { pieceSize: options.pieceSize }) });
  return batch;
}

export interface WorkOptions {
  readonly answer?: Answer;
  readonly resend?: readonly Resend[];
  readonly now?: number;
}

/** Sends all that waits; returns the phones. */
async function work(database: Database, { id }: Batch, options: WorkOptions = {}): Promise<readonly string[]> {
  const { answer = { kind: 'sent', messageId: 'm' }, resend = [], now = start } = options;
  const turn = { id, worker, isOfFile: true, resend, now };
  const phones: string[] = [];
  for (let after = 0; ;) {
    const claimed = await claim(database, { ...turn, after });
    if (claimed.kind === 'cancelled' || !claimed.row) return phones;
    const { row } = claimed;
    ({ after } = claimed);
    phones.push(row.who);
    await settle(database, { batch: id, worker, claim: row, answer, now });
  }
}

/** Loads and sends, as a command that ends. */
export async function send(
  database: Database,
  people: readonly Person[],
  options: LoadOptions & WorkOptions = {},
): Promise<Batch> {
  const batch = await load(database, people, options);
  await work(database, batch, options);
  await release(database, batch.id, worker, options.now ?? start);
  const ended = await database.read(() => batchWithId(batch.id));
  if (!ended) throw new Error('the batch is gone');
  return ended;
}

export function rows(database: Database, { id }: Pick<Batch, 'id'>, now = start): Promise<readonly ReportRow[]> {
  return reportRows(database, { id, after: 0, limit: 1000, now });
}
