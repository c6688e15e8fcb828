import { jsonText } from '../base/json.ts';
import { redact } from '../base/redact.ts';
import type { Database } from '../base/transaction.ts';
import { addRows, type Draft, type NewRow } from '../store/draft.ts';
import type { Input } from './input/input.ts';
import type { InputRow, Fields } from './input/row.ts';
import type { Mapper } from './mapping/mapped.ts';
import { fieldName } from './mapping/values.ts';
import { type Problem, Problems } from './problems.ts';
import { withoutReport } from './report-columns.ts';

export interface Reading {
  readonly database: Database;
  readonly draft: Draft;
  readonly input: Pick<Input, 'rows'>;
  readonly map: Mapper;
  /** Whether `--where` excludes a row. */
  readonly isUnwanted: (fields: Fields) => boolean;
  /** Called for the fields of each row. */
  readonly see: ((fields: Fields) => void) | undefined;
  /** Keys on this machine, which must not be sent or stored. */
  readonly secrets: readonly string[];
  /** Whether a phone can be a mobile one of its country; undefined if that does not matter. */
  readonly isMobile: ((phone: string) => boolean) | undefined;
  readonly signal: AbortSignal;
  readonly now: () => number;
  onRows(count: number): void;
}

const pieceSize = 2_000;
const notMobile = 'not a mobile number of its country';

export interface Copied {
  /** Why rows cannot be sent. */
  readonly problems: readonly Problem[];
  /** Rows that can be sent, and those of them whose numbers are not mobile numbers. */
  readonly sendable: number;
  readonly notMobile: Problem;
}

/** Copies the rows of an input into a draft. */
export async function readIntoDraft(reading: Reading): Promise<Copied> {
  const { database, draft, input, signal, isMobile, onRows, now } = reading;
  const [problems, others] = [new Problems(), new Problems()];
  let sendable = 0;
  let rows = 0;
  let piece: NewRow[] = [];
  const flush = async () => {
    await addRows(database, draft, piece, now());
    piece = [];
  };
  for await (const part of input.rows()) {
    signal.throwIfAborted();
    for (const row of part) {
      const added = newRow(reading, row);
      if (added.problem !== undefined && !added.isUnwanted) problems.add(added.problem, added.line);
      if (added.problem === undefined && !added.isUnwanted) {
        sendable += 1;
        if (added.phone !== undefined && isMobile?.(added.phone) === false) others.add(notMobile, added.line);
      }
      if (piece.push(added) === pieceSize) await flush();
    }
    onRows((rows += part.length));
  }
  await flush();
  return {
    problems: problems.list(),
    sendable,
    notMobile: others.list()[0] ?? { reason: notMobile, count: 0, lines: [] },
  };
}

function newRow({ map, isUnwanted, see, draft, secrets }: Reading, row: InputRow): NewRow {
  const { number, line, problem } = row;
  const { fields, fixes } = withoutReport(row.fields);
  if (problem === undefined) see?.(fields);
  const mapped = problem === undefined ? map(fields) : undefined;
  const isLeftOut = problem === undefined && isUnwanted(fields);
  const cells = jsonText(fields);
  const safe = redact(cells, secrets);
  const fault = safe === cells ? (problem ?? mapped?.problem) : keyProblem(fields, secrets);
  return {
    n: number,
    line,
    phone: mapped?.phone,
    per: redact(mapped?.per ?? '', secrets),
    body: safe === cells ? (mapped?.body ?? '') : '',
    cells: safe,
    problem: isLeftOut || fault === undefined ? undefined : redact(fault, secrets),
    isUnwanted: isLeftOut,
    fixes: fixes === undefined ? undefined : numberIn(fixes, draft),
  };
}

function keyProblem(fields: Fields, secrets: readonly string[]): string {
  const isSafe = (text: string) => redact(text, secrets) === text;
  const name = Object.keys(fields).find((field) => isSafe(field) && !isSafe(jsonText(fields[field])));
  return `${name === undefined ? '' : `${fieldName(name)}: `}it contains something that looks like a key`;
}

/** The row that a report's row corrects: `3fa9c17be204-17`, if it is of this batch. */
function numberIn(fixes: string, { target }: Draft): number | undefined {
  const [, id, number] = /^([\da-f]{12})-(\d{1,9})$/.exec(fixes.trim()) ?? [];
  return id !== undefined && id === target?.id ? Number(number) : undefined;
}
