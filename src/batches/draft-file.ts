import { jsonText } from '../base/json.ts';
import { redact } from '../base/redact.ts';
import { whole } from '../cli/output/figures.ts';
import { openMobiles } from '../contract/phone.ts';
import { addRows, type Draft, exclude, type NewRow } from '../store/draft.ts';
import { readExcluded } from './exclude.ts';
import type { Copied } from './forecast.ts';
import type { Fields, InputRow } from './input/row.ts';
import type { Loading } from './loading.ts';
import { contactMapper } from './mapping/contact.ts';
import { messageMapper } from './mapping/message.ts';
import { fieldName } from './mapping/values.ts';
import { whereFilter } from './mapping/columns.ts';
import { contactOptionsOf, messageOptionsOf, whereOf } from './options.ts';
import { Problems } from './outcomes.ts';
import { withoutReport } from './report.ts';

const pieceSize = 2_000;
const notMobile = 'not a mobile number of its country';

/** Copies the rows of the input, and the excluded phones, into a draft. */
export async function fillDraft(loading: Loading, draft: Draft): Promise<Copied> {
  const { desk, settings } = loading;
  const { context, database } = desk;
  const copied = await copyRows(loading, draft, await rowReader(loading, draft.target?.id));
  const phones = await readExcluded(context, settings.excludeFrom, settings.effective);
  await database.write(() => exclude(draft.id, phones));
  return copied;
}

async function copyRows(
  { desk, input, scope }: Loading,
  draft: Draft,
  read: (row: InputRow) => NewRow,
): Promise<Copied> {
  const { context, database, signals } = desk;
  const isMobile = scope.kind === 'message' ? await openMobiles() : undefined;
  const progress = await context.progress();
  const [problems, others] = [new Problems(), new Problems()];
  let [rows, sendable] = [0, 0];
  let piece: NewRow[] = [];
  progress.follow(() => `reading ${whole(rows)} rows`);
  const flush = async () => {
    await addRows(database, draft, piece, context.host.now());
    piece = [];
  };
  const take = ({ problem, isUnwanted, phone, line }: NewRow) => {
    rows += 1;
    if (problem !== undefined) return problems.add(problem, line);
    if (isUnwanted) return;
    sendable += 1;
    if (phone !== undefined && isMobile?.(phone) === false) others.add(notMobile, line);
  };
  try {
    for await (const part of input.rows()) {
      signals.stop.throwIfAborted();
      for (const row of part.map(read)) {
        take(row);
        if (piece.push(row) === pieceSize) await flush();
      }
    }
    await flush();
  } finally {
    progress.end();
  }
  const [other = { reason: notMobile, count: 0, lines: [], values: [] }] = others.list();
  return { problems: problems.list(), sendable, notMobile: other };
}

/** Throws if an option does not fit the columns. `target`: the id of the batch that it is loaded into. */
async function rowReader(loading: Loading, target: string | undefined): Promise<(row: InputRow) => NewRow> {
  const { scope, settings, per, columns, input, secrets } = loading;
  const { effective } = settings;
  const names = { columns, isTable: input.isTable };
  const { template } = scope;
  const map = await (scope.kind === 'import'
    ? contactMapper(contactOptionsOf(effective), names)
    : messageMapper({ ...messageOptionsOf(effective), template, per }, columns));
  const isUnwanted = whereFilter(whereOf(effective), names);
  return ({ number, line, problem, ...row }) => {
    const { fields, fixes } = withoutReport(row.fields);
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
      fixes: fixes === undefined ? undefined : numberIn(fixes, target),
    };
  };
}

function keyProblem(fields: Fields, secrets: readonly string[]): string {
  const isSafe = (text: string) => redact(text, secrets) === text;
  const name = Object.keys(fields).find((field) => isSafe(field) && !isSafe(jsonText(fields[field])));
  return `${name === undefined ? '' : `${fieldName(name)}: `}it contains something that looks like a key`;
}

/** The row that a report's row corrects: `3fa9c17be204-17`, if it is of this batch. */
function numberIn(fixes: string, batch: string | undefined): number | undefined {
  const [, id, number] = /^([\da-f]{12})-(\d{1,9})$/.exec(fixes.trim()) ?? [];
  return id !== undefined && id === batch ? Number(number) : undefined;
}
