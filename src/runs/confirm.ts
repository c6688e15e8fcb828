import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { resolve } from 'node:path';
import { unsafe, usage } from '../base/errors.ts';
import { redact } from '../base/redact.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { suggest } from '../base/suggest.ts';
import type { Context } from '../cli/command.ts';
import { rowsText } from '../cli/output/figures.ts';
import type { RunTarget } from '../session/session.ts';
import type { RunInput } from './options.ts';

/** Throws unless the input has as many rows as `--expect-count` says; `--first` counts. */
export function checkCount(
  rows: number,
  { expectCount, first = Infinity }: Pick<RunInput, 'expectCount' | 'first'>,
): void {
  const counted = Math.min(rows, first);
  if (expectCount === undefined || expectCount === counted) return;
  throw unsafe(
    'count',
    `the input has ${rowsText(counted)}, not ${expectCount}`,
    'nothing was sent; is this the right file?',
  );
}

/**
 * A live run asks on a terminal. Elsewhere it requires a limit of its rows; `--yes` alone is not enough, but on a
 * terminal it accepts such a limit as the answer.
 */
export function needsConfirmation(
  { mode }: RunTarget,
  { expectCount, atMost }: RunInput,
  { interactive, given }: Pick<Context, 'interactive' | 'given'>,
): boolean {
  const isLimited = expectCount !== undefined || atMost !== undefined;
  return mode !== 'sandbox' && !(isLimited && (given.yes || !interactive));
}

/** Fewer rows are all shown, and confirmed with a yes. */
export const fewRows = 10;

export async function confirmLive(context: Context, due: number, overview: () => Promise<string>): Promise<void> {
  if (due === 0) return;
  if (!context.interactive) {
    const hint = `nothing was sent; add --at-most ${due}, or --expect-count with the number of rows in the input`;
    const also = context.given.yes ? '; --yes is not enough' : '';
    throw unsafe('count-missing', `sending ${rowsText(due)} with a live key must be confirmed${also}`, hint);
  }
  context.say(await overview());
  if (due < fewRows) return context.session.interaction.confirm(due === 1 ? 'Send it?' : `Send these ${due}?`);
  await context.ask(`Type ${due} to send:`, '--at-most', (text) => {
    if (text.trim().replaceAll(',', '') !== String(due))
      throw usage(`type ${due} to send them`, 'Ctrl-C cancels, and nothing is sent');
  });
}

const hint = 'pass a key with BIZMSG_API_KEY or a profile';

/** Rejects keys in the command line: it is stored with the run, and its values are sent with every row. */
export function refuseKeys(typed: readonly string[], file: string, known: readonly string[]): void {
  const word = typed.find((one) => one !== file && redact(one) !== one);
  if (word !== undefined) throw usage(`"${redact(word, known)}" contains something that looks like a key`, hint);
  const holds = (text: string) => redact(text, known) !== redact(text);
  const other = typed.find((one) => one !== file && holds(one));
  if (other !== undefined) throw usage(`"${redact(other, known)}" contains a key stored on this machine`, hint);
  if (file !== '-' && holds(resolve(file)))
    throw usage(
      `the path "${redact(resolve(file), known)}" contains a key stored on this machine`,
      'rename the file or folder',
    );
}

/** Open files held back while connections are opened, so that the results can still be written afterwards. */
interface SpareFiles {
  release(): void;
}

/** The ledger, the log, the input, a file of rejected rows, a lock, and as many again. */
const count = 10;

export function holdSpareFiles(): SpareFiles {
  const held: number[] = [];
  const release = () => {
    for (const fd of held.splice(0)) closeSync(fd);
  };
  try {
    while (held.length < count) held.push(openSync(devNull, 'r'));
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}

/** Suggests --map if the service reports a missing field and the input has a column with a similar name. */
export function suggestColumn(reasons: readonly string[], columns: readonly string[]): string | undefined {
  for (const reason of reasons) {
    const field = /(?:\/|["'])([\w.-]+)["']? is (?:missing|required)/.exec(reason)?.[1];
    if (field === undefined || columns.includes(field)) continue;
    const column = columnFor(field, columns);
    if (column !== undefined) return `the input has "${column}": --map ${shellQuote(`${column}=${field}`)}`;
    if (columns.length > 0)
      return `no column is named ${field}; the columns are ${columns.slice(0, mostShown).join(', ')}; --map COLUMN=${field} renames one`;
  }
  return undefined;
}

function columnFor(field: string, columns: readonly string[]): string | undefined {
  const same = columns.find((column) => plain(column) === plain(field));
  return same ?? suggest(field, columns.slice(0, mostLooked));
}

/** Columns that a hint lists. */
const mostShown = 10;
/** Columns beyond it are not compared. */
const mostLooked = 200;

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, '');
}
