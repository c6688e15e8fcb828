import { usage } from '../base/errors.ts';
import { sleep, untilAborted } from '../base/sleep.ts';
import type { Command, CommandResult, Context, Emit, Item, Ui } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { cell, pick, type Row, valueAt } from '../cli/output/rows.ts';
import { safeValue } from '../cli/output/text.ts';
import { count, flag, knowing, longName, option, type Param, type Params, readInput, span } from '../cli/params.ts';

/** Where a list reads its records. */
export interface Source<R, C = number> {
  /** The place after the newest record. */
  end(): Promise<C>;
  /** The records before a place, the newest first: all, or at least as many as are wanted. */
  before(cursor: C, wanted: number): AsyncIterable<R>;
  /** The records after a place, and the place after them; waits for some. */
  after(cursor: C): Promise<{ readonly records: readonly R[]; readonly cursor: C }>;
  /** The clock of the records (default: that of this machine). */
  now?(): Promise<number>;
  close?(): Promise<void>;
}

/** The columns and filters of a list. */
export interface Entry {
  readonly at: number;
  /** What --type compares. */
  readonly types: readonly string[];
  readonly row: Row;
  readonly hasFailed?: boolean;
  /** Identifies a record that changes until it has ended. */
  readonly id?: string;
  readonly hasEnded?: boolean;
}

/** A point in time, for a clock that shows `now`. */
type Moment = (now: number) => number;

/** A span before now, or an ISO time, which is local without a zone. */
function moment(text: string): Moment {
  const [, day, time = 'T00:00'] = /^(\d{4}-\d\d-\d\d)(T\S+)?$/.exec(text) ?? [];
  const at = Date.parse(`${day}${time}`);
  if (!Number.isNaN(at)) return () => at;
  if (!/^\d[\d.]*(?:ms|s|m|h|d)?$/.test(text))
    throw usage(`"${text}" is not a time`, 'use 10m, 2h or 1d for that long ago, or a time such as 2026-05-01T14:30');
  const ago = span(text);
  return (now) => now - ago;
}

export const sinceParam = option('--since <time>', 'only those since then: 10m, 2h or 1d ago, or an ISO time', moment);

/** The option --type: comma-separated words. `check` throws for an unknown word. */
export function typeParam(words: readonly string[], word: string, text: string, check: (word: string) => void) {
  return knowing(
    words,
    option(`--type <${word}>`, text, (typed) => {
      const types = typed.split(',').map((type) => type.trim());
      types.forEach(check);
      return types;
    }),
  );
}

interface Selection {
  readonly type: readonly string[] | undefined;
  readonly since: Moment | undefined;
  readonly failed?: boolean | undefined;
}

export function isSelection({ type, since, failed }: Selection): boolean {
  return failed === true || type !== undefined || since !== undefined;
}

/** Returns whether an entry is selected. */
export function selecting({ type, since, failed }: Selection, now: number): (entry: Entry) => boolean {
  const from = since?.(now) ?? -Infinity;
  return ({ at, types, hasFailed }) =>
    at >= from && (type?.some((word) => types.some((name) => isWithin(name, word))) ?? true) && !(failed && !hasFailed);
}

/** `message.read` is within `message`, `/api/public/contacts` within `/api/public`. */
function isWithin(name: string, word: string): boolean {
  return name === word || (name.startsWith(word) && /^[./]/.test(name.slice(word.length)));
}

export const listParams = {
  limit: option('--limit <n>', 'show only the n newest (default: 50 on a terminal, otherwise all)', count),
  follow: flag('-f, --follow', 'show the 10 newest, then new ones until Ctrl-C'),
} as const;

/** Enough for a screen. */
export const usual = 50;
/** Enough to see where a followed list begins. */
const few = 10;
/** Milliseconds between two looks at a log. */
export const pollInterval = 200;

interface Listing<R, C> extends Pick<Command, 'name' | 'summary' | 'details' | 'examples'> {
  readonly type: ReturnType<typeof typeParam>;
  readonly failed?: Param<boolean>;
  /** The plural of what is listed. */
  readonly noun: string;
  /** The first columns on a terminal, where a followed list has no others. */
  readonly first: readonly string[];
  open(context: Context): Source<R, C> | Promise<Source<R, C>>;
  entryOf(record: R): Entry;
  /** Printed if there is nothing, and if nothing has failed. */
  readonly empty: string;
  readonly noneFailed?: string;
  /** Its own params. */
  readonly params: Params;
  /** Params that turn it into another command, with the params of both. */
  readonly instead: Readonly<Record<string, Command>>;
}

/** Lists a log, with the newest record last. */
export function listCommand<R, C>({ params, instead, ...listing }: Listing<R, C>): Command {
  const { type, failed } = listing;
  const selectors = { type, since: sinceParam, ...(failed && { failed }), ...listParams };
  const all: Params = { ...params, ...selectors };
  return {
    ...listing,
    kind: 'command',
    params: all,
    accepts: printOptions,
    piped: 'rows',
    async run(context, texts, emit) {
      const typed = Object.entries(all).filter(([name]) => texts[name]?.length);
      const [name = '', param] = typed.find(([name]) => instead[name]) ?? [];
      const other = instead[name];
      if (other && param) {
        const [, excluded] = typed.find(([name]) => !other.params[name]) ?? [];
        if (excluded) throw usage(`${longName(param)} excludes ${longName(excluded)}`);
        return other.run(context, texts, emit);
      }
      const { limit, follow: isFollowed, ...selection } = readInput(selectors, texts);
      const source = await listing.open(context);
      const reading = { context, source, listing, selection };
      try {
        return isFollowed ? await follow(reading, limit, emit) : await list(reading, limit);
      } finally {
        await source.close?.();
      }
    },
  };
}

interface Reading<R, C> {
  readonly context: Context;
  readonly source: Source<R, C>;
  readonly listing: Omit<Listing<R, C>, 'params' | 'instead'>;
  readonly selection: Selection;
}

async function list<R, C>(reading: Reading<R, C>, limit: number | undefined): Promise<CommandResult> {
  const { context, selection, listing } = reading;
  const isCut = limit === undefined && context.host.stdout.isTTY;
  const { entries } = await newest(reading, isCut ? usual + 1 : limit);
  const shown = isCut ? entries.slice(-usual) : entries;
  if (shown.length < entries.length) context.note('cut', `showing the ${usual} newest; --limit shows more`);
  const noMatch = (selection.failed && listing.noneFailed) || `No matching ${listing.noun}`;
  const text = isSelection(selection) ? noMatch : listing.empty;
  return { ...ending, first: listing.first, data: shown.map(({ row }) => row), text: () => text };
}

const ending = { exit: 'done', changed: false, piped: 'rows' } as const;

/** The newest selected records, in order, and the place after all. */
async function newest<R, C>({ context, source, listing, selection }: Reading<R, C>, most = Infinity) {
  const { since } = selection;
  const now = since ? ((await source.now?.()) ?? context.host.now()) : 0;
  const [isSelected, from] = [selecting(selection, now), since?.(now) ?? -Infinity];
  const cursor = await source.end();
  const entries: Entry[] = [];
  for await (const record of source.before(cursor, isSelection(selection) ? Infinity : most)) {
    const entry = listing.entryOf(record);
    if (entries.length >= most || entry.at < from) break;
    if (isSelected(entry)) entries.push(entry);
  }
  return { entries: entries.reverse(), cursor, isSelected };
}

/** Shows the newest records, then new ones until the signal. One that still changes is shown once it has ended. */
async function follow<R, C>(reading: Reading<R, C>, limit: number | undefined, emit: Emit): Promise<CommandResult> {
  const { context, source, listing } = reading;
  const { signal, later } = context.host;
  const itemOf = itemFor(reading);
  const shown = new Set<Entry['id']>();
  const end = untilAborted(signal);
  const { isSelected, ...start } = await newest(reading, limit ?? few);
  let cursor: C = start.cursor;
  await emit(start.entries.map(itemOf));
  for (;;) {
    const page = await Promise.race([end, source.after(cursor)]);
    // Nothing more is printed, in no format.
    if (!page) return { ...ending, data: context.given.output === 'ndjson' ? [] : undefined, text: () => '' };
    const entries = page.records.map((record) => listing.entryOf(record));
    const isWaiting = entries.some(({ hasEnded }) => hasEnded === false);
    const ready = entries.filter(({ id, hasEnded }) => !shown.has(id) && !(isWaiting && hasEnded === false));
    await emit(ready.filter(isSelected).map(itemOf));
    if (isWaiting) {
      for (const { id } of ready) shown.add(id);
      await sleep(pollInterval, later, signal);
    } else {
      shown.clear();
      cursor = page.cursor;
    }
  }
}

function itemFor<R, C>({ context: { given }, listing }: Reading<R, C>): (entry: Entry) => Item {
  const { output, columns } = given;
  if (output === 'json' || output === 'id') throw usage(`--follow excludes -o ${output}`, 'use -o ndjson, csv or tsv');
  const cells = (row: Row, ui: Ui) =>
    (columns ?? listing.first)
      .map((name) => cell(valueAt(row, name)))
      .map((text) => (iso.test(text) ? ui.time(text) : text));
  return ({ row }) => ({
    data: columns ? pick(row, columns) : row,
    text: (ui) => ui.line(cells(safeValue(row), ui).filter((text) => text !== '')),
  });
}

const iso = /^\d{4}-\d\d-\d\dT/;
