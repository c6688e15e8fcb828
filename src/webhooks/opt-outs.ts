import { closeSync, existsSync, fsyncSync, openSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { draftIn, removeDraft, removeLeftDrafts } from '../base/drafts.ts';
import { CliError, configuration, fsError, usage } from '../base/errors.ts';
import { readRegular, whyUnreadable } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import { isoTime } from '../base/iso-time.ts';
import { acquire } from '../base/lock.ts';
import { sleep } from '../base/sleep.ts';
import { replaceFile } from '../base/replace-file.ts';
import { readPhone } from '../contract/phone.ts';
import { check } from '../delivery/signature.ts';
import type { Delivery } from '../logs/events.ts';
import { replyIn } from './event/event.ts';

/** Replies that opt out. CANCEL and QUIT are not among them, since they answer other questions. */
const usualWords = ['STOP', 'STOPP', 'UNSUBSCRIBE', 'OPTOUT'] as const;
const header = 'phone,time,word\n';
/** Milliseconds to wait for another listener. */
const patience = 5_000;

export interface OptOutOptions {
  readonly machine: Pick<Host, 'kill' | 'later' | 'now' | 'pid' | 'steady'>;
  readonly file: string;
  /** The profile's own words, besides the usual ones. */
  readonly words: readonly string[];
  readonly secrets: () => readonly string[];
  readonly note: (text: string) => void;
}

/**
 * Keeps a list of people who do not want messages any more. The returned function resolves once a reply is on the list,
 * so that its event is acknowledged only then; a failure is the sender's to repeat.
 */
export function openOptOuts(options: OptOutOptions): (delivery: Delivery) => Promise<void> {
  const { machine, note, secrets } = options;
  const file = optOutFile(options.file);
  const words = new Set([...usualWords, ...options.words].map(plainWord));
  let last: Promise<unknown> = Promise.resolve();
  return async (delivery) => {
    const isSigned = check(secrets(), delivery.headers, delivery.body, machine.now()).verdict === 'good';
    const reply = replyIn(delivery, isSigned || secrets().length === 0);
    const word = plainWord(reply?.text ?? '');
    if (!reply || (word !== 'START' && !words.has(word))) return;
    const { sender = '' } = reply;
    const phone = await readPhone(sender, 'intl');
    if (typeof phone !== 'string') return note(`"${word}" came from "${sender}", which ${phone.why}`);
    if (word === 'START' && !isSigned) return note(`START from ${phone} is not signed, so nothing is changed`);
    const change = () => changeList(machine, file, (rows) => changed(rows, phone, word));
    const written = last.catch(() => {}).then(change);
    last = written;
    const where = word === 'START' ? 'is not in' : 'is in';
    if (await written) note(`${phone} replied ${word} and ${where} ${options.file} now`);
  };

  function changed(rows: readonly string[], phone: string, word: string): readonly string[] {
    const others = rows.filter((row) => !row.startsWith(`${phone},`));
    if (word === 'START') return others;
    return others.length < rows.length ? rows : [...rows, `${phone},${isoTime(machine.now())},${word}`];
  }
}

/** In capitals, without blanks, invisible characters, and what is around the word, as in *STOP* or STOP 🙏. */
function plainWord(text: string): string {
  // Trimming takes time that grows with the square of the length.
  const bare = text
    .slice(0, 200)
    .normalize('NFKC')
    .replace(/[\s\p{Cf}\ufe0f",]/gu, '');
  const word = bare.replace(/^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, '');
  return (word || bare).toUpperCase();
}

/** The list, which is created if it is missing; throws if it is something else. */
export function optOutFile(file: string): string {
  return usable(file, () => {
    if (!existsSync(file)) writeFileSync(file, header, { flag: 'wx', mode: 0o600 });
    rowsIn(file);
    return realpathSync(file);
  });
}

/** How many people are on the list, and when the last of them opted out. */
export function optOutsIn(file: string): { readonly count: number; readonly last: number | undefined } {
  const rows = usable(file, () => rowsIn(file));
  const times = rows.map((row) => Date.parse(row.split(',')[1] ?? '')).filter((time) => !Number.isNaN(time));
  return { count: rows.length, last: times.length === 0 ? undefined : Math.max(...times) };
}

function usable<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const fault = error instanceof CliError ? undefined : fsError(error);
    if (!fault) throw error;
    throw configuration(
      'opt-out-file',
      `cannot use ${file}: ${whyUnreadable(error) ?? fault.reason}`,
      undefined,
      error,
    );
  }
}

function rowsIn(file: string): readonly string[] {
  const text = readRegular(file)
    .toString()
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n');
  if (text.startsWith(header))
    return text
      .slice(header.length)
      .split('\n')
      .filter((row) => row !== '');
  throw usage(
    `${file} is not a list of opt-outs: its first line is not ${header.trim()}`,
    'name a new file, and keep this one with --exclude-from, which may be given twice',
  );
}

/** Replaces the list as a whole, one process at a time; returns whether it has changed. */
async function changeList(
  { pid, kill, later, steady }: OptOutOptions['machine'],
  file: string,
  change: (rows: readonly string[]) => readonly string[],
): Promise<boolean> {
  const folder = dirname(file);
  const until = steady() + patience;
  const take = () => usable(file, () => acquire(join(folder, `.${basename(file)}.lock`), { pid, kill }));
  let lock = take();
  while (!lock.held) {
    if (steady() > until)
      throw configuration('opt-out-busy', `another process has been writing ${file} for ${patience / 1_000} s`);
    await sleep(10, later);
    lock = take();
  }
  try {
    return usable(file, () => {
      const rows = rowsIn(file);
      const after = change(rows);
      if (after.length === rows.length) return false;
      replace(file, header + after.map((row) => `${row}\n`).join(''), draftIn(folder, pid));
      return true;
    });
  } finally {
    lock.release();
    removeLeftDrafts(folder, kill);
  }
}

function replace(file: string, text: string, draft: string): void {
  try {
    const fd = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    replaceFile(draft, file);
  } finally {
    removeDraft(draft);
  }
}
