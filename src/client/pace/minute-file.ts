import { closeSync, constants, ftruncateSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { configuration } from '../../errors.ts';
import type { Later } from '../../journal.ts';
import type { Owner } from '../../lock.ts';
import { lives, processStart } from '../../process-life.ts';
import { openRegular } from '../../regular-file.ts';
import { bookIn, bookText, emptyBook } from './book.ts';
import type { Book, Party, Who } from './book.ts';
import type { Granted, Ledger, Share } from './ledger.ts';
import { refresh } from './refresh.ts';
import { settle } from './settle.ts';
import type { Token } from './token.ts';
import { createToken } from './token.ts';

export interface FileLedgerOptions {
  readonly folder: string;
  /** Of the file; all who give the same share it. */
  readonly name: string;
  /** In milliseconds. */
  readonly window: number;
  readonly owner: Owner;
  /** Milliseconds of a clock that all processes of this machine share, and that is never set back. */
  readonly now: () => number;
  readonly later: Later;
  readonly random: () => number;
  /** Told when the file could not be understood, and is begun anew. */
  readonly onDamaged: () => void;
}

/** Milliseconds that a turn is waited for: it takes less than one, but whoever has it may have been stopped. */
const patience = 5_000;
/** Milliseconds between two looks whether it is over, at the most. */
const longestPause = 8;
/** One look in so many also asks whether its owner lives. */
const looks = 8;

/** A small file that is read and changed in turns, each a fraction of a millisecond. */
export function createFileLedger(options: FileLedgerOptions): Ledger {
  const { folder, name, owner, now } = options;
  const token = createToken(folder, name, owner);
  const start = processStart(owner.pid);
  const who = { id: `${owner.pid}.${start ?? ''}.${now()}`, pid: owner.pid, start };
  return {
    now,
    turn: (share) => {
      const path = token.take();
      if (path !== undefined) return turnIn(path, token, options, { who, share });
      return taken(token, options).then((late) => turnIn(late, token, options, { who, share }));
    },
  };
}

/** Whoever waits looks now and again, by chance, so that nobody is always late. */
async function taken(token: Token, { folder, name, now, later, random }: FileLedgerOptions): Promise<string> {
  const made = await token.make();
  if (made !== undefined) return made;
  const deadline = now() + patience;
  for (let look = 1; now() < deadline; look += 1) {
    await new Promise<void>((resolve) => void later(1 + random() * (longestPause - 1), resolve));
    const path = look % looks === 0 ? token.take() : token.glance();
    if (path !== undefined) return path;
  }
  throw configuration('pace-held', `another process holds ${join(folder, name)}`);
}

interface Asking {
  readonly who: Who;
  readonly share: Share;
}

function turnIn(path: string, token: Token, options: FileLedgerOptions, { who, share }: Asking): Granted {
  try {
    const { window, owner, now, onDamaged } = options;
    const time = now();
    const isAlive = ({ pid, start, seen }: Party) => lives(pid, start, owner.kill, () => time - seen);
    return change(path, onDamaged, (found) => {
      const current = refresh(found, { time, window, lives: isAlive });
      return settle(current, { who, share, time, window });
    });
  } finally {
    token.putBack();
  }
}

type Change = (book: Book) => ReturnType<typeof settle>;

/**
 * In place, because replacing a file costs ten times as much. One write overwrites the longer text of before with line
 * feeds as well, so a kill leaves the old book or the new one.
 */
function change(path: string, onDamaged: () => void, make: Change): Granted {
  const fd = openRegular(path, constants.O_RDWR);
  try {
    const before = readFileSync(fd, 'utf8');
    const { book, granted } = make(read(before, onDamaged));
    const after = bookText(book);
    writeSync(fd, after.padEnd(before.length, '\n'), 0);
    if (after.length < before.length) ftruncateSync(fd, after.length);
    return granted;
  } finally {
    closeSync(fd);
  }
}

function read(text: string, onDamaged: () => void): Book {
  // Whoever made it may have been killed at once.
  if (text === '') return emptyBook;
  const book = bookIn(text);
  if (!book) onDamaged();
  return book ?? emptyBook;
}
