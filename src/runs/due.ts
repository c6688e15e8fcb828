import { jsonText } from '../base/json.ts';
import { identitySize } from '../ledger/identity.ts';
import { type Accepted, type Fate, fateAt, type UnsentRow } from '../ledger/ledger.ts';
import { isSingles } from '../ledger/run.ts';
import type { InputFile } from './input.ts';
import type { InputRow, Mapper } from './input/row.ts';
import { placeOf, unitOf, verifyUnchanged } from './input/source.ts';
import { storedReason } from './report.ts';
import type { Place, Ready } from './row.ts';
import { isLeftOut, type LeftOut, type Preflight } from './preflight.ts';

interface Known {
  readonly input: Pick<InputFile, 'source' | 'shown'>;
  readonly found: Preflight;
  readonly accepted: Pick<Accepted, 'fates' | 'items' | 'elsewhere'>;
}

interface Due extends Known {
  readonly mapper: Mapper;
  /** Called with rows that are not sent, before the due rows of the same part of the input. */
  readonly onUnsent: (rows: readonly UnsentRow[]) => Promise<void>;
  /** Called with each row that has another text since it was sent. */
  readonly onChanged: (place: Place) => void;
  /** Called with each row that cannot be sent. */
  readonly onInvalid: (place: Place, reason: string) => Promise<void> | undefined;
  /** The row with which it begins, among the valid ones: processes that work on one run begin at different rows. */
  readonly from: number;
  /** Divides rows into parts, without those that another process has sent meanwhile. */
  readonly parts: (rows: readonly Ready[]) => AsyncIterable<readonly Ready[]> | Iterable<readonly Ready[]>;
}

/** The rows to be sent, in order from one on; then failed ones of earlier attempts. */
export async function* dueRows({
  mapper,
  onUnsent,
  onChanged,
  onInvalid,
  from,
  parts,
  ...known
}: Due): AsyncGenerator<readonly Ready[]> {
  let hasRetries = false;
  const partsOf = (rows: readonly KnownRow[]) => parts(rows.map((one) => readyOf(one, mapper, known)));
  for await (const batch of readAgain(known)) {
    const unsent: UnsentRow[] = [];
    const due: KnownRow[] = [];
    for (const one of batch) {
      const { row, fate } = one;
      if (fate === 'due' && one.index < from) continue;
      if (fate === 'due') due.push(one);
      else if (fate === 'retry') hasRetries = true;
      else if (fate === 'invalid') {
        const [place, reason] = [placeIn(row, known), invalidity(row, mapper)];
        unsent.push(invalidRow(place, reason));
        await onInvalid(place, reason);
      } else if (fate === 'changed') onChanged(placeIn(row, known));
      else if (isSkipped(one, known))
        unsent.push({
          line: placeIn(row, known).line,
          code: isLeftOut(fate) ? 'excluded' : fate,
          reason: whySkipped(one, known),
        });
    }
    if (unsent.length > 0) await onUnsent(unsent);
    if (due.length > 0) yield* partsOf(due);
  }
  const isEarlier = ({ fate, index }: KnownRow) => fate === 'due' && index < from;
  const passes = [...(from > 0 ? [isEarlier] : []), ...(hasRetries ? [({ fate }: KnownRow) => fate === 'retry'] : [])];
  for (const isNext of passes)
    for await (const batch of readAgain(known)) {
      const due = batch.filter(isNext);
      if (due.length > 0) yield* partsOf(due);
    }
}

/** As the ledger records it. */
export function invalidRow({ line }: Place, reason: string): UnsentRow {
  return { line, code: 'invalid', reason: storedReason(reason) };
}

/** The bodies of the first rows that will be sent. Rows that were sent before may precede them. */
export async function firstBodies(known: Known, mapper: Mapper, most: number): Promise<readonly string[]> {
  if (most === 1 && fateAt(known.accepted.fates, 0) === 'due' && known.found.first !== undefined)
    return [known.found.first];
  const [due, retries]: [KnownRow[], KnownRow[]] = [[], []];
  for await (const batch of readAgain(known)) {
    for (const row of batch) {
      if (row.fate === 'due') due.push(row);
      else if (row.fate === 'retry' && retries.length < most) retries.push(row);
    }
    if (due.length >= most) break;
  }
  return [...due, ...retries].slice(0, most).map((row) => readyOf(row, mapper, known).content);
}

export interface KnownRow {
  readonly row: InputRow;
  /** Among the valid rows. */
  readonly index: number;
  readonly fate: Fate | 'invalid' | LeftOut;
}

/** Reads the input once more; throws if it has changed since the preflight. */
export async function* readAgain({ input, found, accepted }: Known): AsyncGenerator<readonly KnownRow[]> {
  let index = 0;
  const known = (row: InputRow): KnownRow => {
    const kind = found.kindOf(row.number);
    return kind === 'valid' ? { row, fate: fateAt(accepted.fates, index), index: index++ } : { row, fate: kind, index };
  };
  const rows = input.source.rows(undefined, verifyUnchanged(found.prints, input.shown));
  for await (const batch of rows) yield batch.map(known);
}

/** The run does not have it, and will not: another run has sent it or left it unsure, for example. */
function isSkipped({ fate, index }: KnownRow, { accepted }: Known): boolean {
  if (fate === 'unsure') return accepted.items[index] === 0;
  return isLeftOut(fate) || skippedFates.has(fate);
}

const skippedFates: ReadonlySet<string> = new Set(['duplicate', 'conflict', 'earlier', 'busy']);

function whySkipped({ fate, index }: KnownRow, { found, accepted, input }: Known): string | undefined {
  if (fate === 'where') return 'left out by --where';
  if (fate === 'excluded') return 'in a file of --exclude-from';
  if (fate === 'conflict')
    return `another message for the recipient of ${unitOf(input.source)} ${found.firstOf(index)}`;
  const other = accepted.elsewhere(index);
  if (!other) return undefined;
  const by = isSingles(other.run) ? 'send-template' : `run ${other.run}`;
  if (fate === 'busy') return `left to ${by}`;
  const verb = fate === 'unsure' ? 'may have been sent' : 'sent';
  return `${verb} by ${by} at ${new Date(other.at).toISOString()}`;
}

function readyOf({ row, index, fate }: KnownRow, mapper: Mapper, known: Known): Ready {
  const mapped = 'reason' in row ? row : mapper.map(row);
  if ('reason' in mapped) throw new Error(`row ${row.number} was valid at first: ${mapped.reason}`);
  const { number, line } = placeIn(row, known);
  const content = jsonText(mapped.body);
  const item = known.accepted.items[index] ?? 0;
  const text = known.found.digests.read(index).subarray(identitySize);
  return { number, line, isRetry: fate === 'retry', content, item, text };
}

export function placeIn(row: InputRow, { input }: Pick<Known, 'input'>): Place {
  return { number: row.number, line: placeOf(row, input.source) };
}

export function invalidity(row: InputRow, mapper: Mapper): string {
  const mapped = 'reason' in row ? row : mapper.map(row);
  if ('reason' in mapped) return mapped.reason;
  throw new Error(`row ${row.number} was invalid at first`);
}
