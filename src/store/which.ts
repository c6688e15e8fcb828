import { forOption, usage } from '../base/errors.ts';
import type { Database } from '../base/transaction.ts';
import { type Batch, batchesOf, isWorking, type Scope } from './batch.ts';
import type { Steps } from './columns.ts';
import { hasAny } from './views.ts';

export interface Wanted {
  readonly scope: Scope;
  /** From `--batch`. */
  readonly name: string | undefined;
  /** From the name of the file. */
  readonly proposal: string;
  /** The column of `--per`, '' for the phone alone; undefined if it was not used. */
  readonly per: string | undefined;
  /** Whether a live batch needs `--batch`: in a script. */
  readonly needsName: boolean;
  readonly now: number;
}

/** Decides which batch a command means. `fresh` is the name that a new one would have. */
export function whichBatch(database: Database, wanted: Wanted) {
  const { scope, name, needsName, proposal } = wanted;
  return database.read(function* () {
    if (name === undefined && needsName && scope.kind === 'message' && scope.mode === 'live')
      return { kind: 'unnamed', proposal } as const;
    const batches = yield* batchesOf(scope);
    const fresh = freeName(name ?? proposal, batches);
    const batch = name === undefined ? yield* latest(batches, wanted) : batches.find((batch) => batch.name === name);
    return batch ? checked(batch, wanted, fresh) : ({ kind: 'new', name: fresh } as const);
  });
}

function checked(batch: Batch, { scope, per, now }: Wanted, fresh: string) {
  const isDifferent = !isSameScope(batch.scope, scope) || (per !== undefined && per !== batch.per);
  if (isDifferent) return { kind: 'different', batch, fresh } as const;
  if (batch.isCancelled) return { kind: 'cancelled', batch, fresh } as const;
  return { kind: isWorking(batch, now) ? 'working' : 'batch', batch, fresh } as const;
}

/** The latest of NAME, NAME-2 … if it goes on. */
function* latest(batches: readonly Batch[], { scope, proposal }: Wanted): Steps<Batch | undefined> {
  const isNamed = ({ name }: Batch) => name === proposal || name.replace(/-\d+$/, '') === proposal;
  const batch = batches.findLast((batch) => isSameScope(batch.scope, scope) && isNamed(batch));
  if (!batch || batch.isCancelled) return undefined;
  if (scope.kind === 'import' || batch.isLoading) return batch;
  return (yield* hasAny(batch.id, 'waiting')) ? batch : undefined;
}

export function freeName(proposal: string, batches: readonly Batch[]): string {
  const names = new Set(batches.map(({ name }) => name));
  let name = proposal;
  for (let n = 2; names.has(name); n++) name = `${proposal}-${n}`;
  return name;
}

function isSameScope(a: Scope, b: Scope): boolean {
  return a.account === b.account && a.mode === b.mode && a.kind === b.kind && a.template === b.template;
}

/** Whether a text can name a batch: an id cannot. */
function isName(text: string): boolean {
  return /^[a-z\d._-]{1,64}$/.test(text) && !/^[\da-f]{12}$/.test(text);
}

/** The name of a batch after its file, without folder and ending. */
export function nameAfter(file: string): string {
  const name = (file.split(/[/\\]/).at(-1) ?? '').replace(/(?<=.)\.[^.]*$/, '').toLowerCase();
  const plain = name.replace(/[^a-z\d._-]/g, '-').slice(0, 64);
  return isName(plain) ? plain : 'batch';
}

/** The name of a batch, with the local time filled in. */
export function batchName(text: string, local: Date): string {
  return forOption('--batch', () => {
    const name = fillName(text, local);
    const [word] = /\{[^}]*\}?/.exec(name) ?? [];
    if (word !== undefined) throw usage(`"${word}" is not filled in`, 'use {date}, {week}, {month} or {hour}');
    if (isName(name)) return name;
    const isId = /^[\da-f]{12}$/.test(name);
    if (isId) throw usage(`"${name}" looks like the id of a batch`, `use another, such as b-${name}`);
    throw usage(`"${text}" is not a name of a batch`, 'use up to 64 letters, digits and . _ -, such as autumn-{date}');
  });
}

/** Fills `{date} {week} {month} {hour}` with a local time. */
function fillName(name: string, local: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const month = `${local.getFullYear()}-${two(local.getMonth() + 1)}`;
  const date = `${month}-${two(local.getDate())}`;
  const values: Readonly<Record<string, string>> = {
    date,
    month,
    week: week(local),
    hour: `${date}-${two(local.getHours())}`,
  };
  return name.toLowerCase().replace(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole);
}

/** The week of ISO 8601, which belongs to the year of its Thursday. */
function week(local: Date): string {
  const thursday = new Date(local.getFullYear(), local.getMonth(), local.getDate());
  thursday.setDate(thursday.getDate() + 4 - (thursday.getDay() || 7));
  const first = new Date(thursday.getFullYear(), 0, 1);
  const number = 1 + Math.floor(Math.round((thursday.getTime() - first.getTime()) / 86_400_000) / 7);
  return `${thursday.getFullYear()}-w${String(number).padStart(2, '0')}`;
}
