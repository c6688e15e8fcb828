/** Batches and their rows. Times are in milliseconds; texts that name nothing are '', never NULL. */
export const schema = [
  `-- One row. The tick counts transactions: unlike the time, it never goes back.
  CREATE TABLE meta (
    version INTEGER NOT NULL,
    id TEXT NOT NULL,
    tick INTEGER NOT NULL,
    -- The team's server that has it. A different server may have lost the last changes.
    server TEXT NOT NULL DEFAULT '',
    -- When what is old was last removed.
    expired_at INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE scope (
    n INTEGER NOT NULL PRIMARY KEY,
    account TEXT NOT NULL,
    mode TEXT NOT NULL,
    kind TEXT NOT NULL,
    template TEXT NOT NULL,
    UNIQUE (account, mode, kind, template)
  ) STRICT;

  -- A draft has no name. A batch has a worker until its process ends, and until its lease ends if it crashes.
  CREATE TABLE batch (
    id TEXT NOT NULL PRIMARY KEY,
    scope INTEGER NOT NULL,
    name TEXT NOT NULL,
    per TEXT NOT NULL DEFAULT '',
    -- JSON of the caller: kept options, and the columns of the file.
    told TEXT NOT NULL DEFAULT '{}',
    command TEXT NOT NULL DEFAULT '',
    columns TEXT NOT NULL DEFAULT '[]',
    -- The file that it was made from, or its batch.
    file TEXT NOT NULL DEFAULT '',
    made_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    again_at INTEGER NOT NULL DEFAULT 0,
    -- Number of the latest command that loaded a file.
    load INTEGER NOT NULL DEFAULT 0,
    -- It was cut off until the command is repeated.
    loading INTEGER NOT NULL DEFAULT 0,
    is_cancelled INTEGER NOT NULL DEFAULT 0,
    worker TEXT NOT NULL DEFAULT '',
    until INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE excluded (
    batch TEXT NOT NULL,
    phone TEXT NOT NULL,
    PRIMARY KEY (batch, phone)
  ) STRICT;

  CREATE TABLE item (
    -- '' for single messages.
    batch TEXT NOT NULL,
    n INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    who TEXT NOT NULL,
    per TEXT NOT NULL,
    body TEXT,
    cells TEXT,
    -- Short hash of the body, which outlives it.
    text TEXT NOT NULL,
    line INTEGER NOT NULL,
    -- The load that last had the row in its file.
    load INTEGER NOT NULL,
    state TEXT NOT NULL,
    -- A person is in the file twice. Not by the state, or each new state would update the index.
    is_twice INTEGER NOT NULL DEFAULT 0,
    -- Why; 'resend' of a row that is to be sent again; while it is under way, its state before.
    reason TEXT,
    -- The other batch that sent it, or that it is held for; '' for a single message.
    by TEXT,
    at INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    message_id TEXT,
    code TEXT,
    -- Of a single message: the process that sends it.
    worker TEXT,
    -- Reported to the user once: 'failed', or the text of a file that differs from the sent one. Or 'resend'.
    told TEXT,
    sent_text TEXT,
    sent_at INTEGER,
    -- Of a draft: the number of the row that it corrects.
    fixes INTEGER,
    PRIMARY KEY (batch, n)
  ) STRICT;
  CREATE UNIQUE INDEX item_person ON item (batch, who, per) WHERE batch <> '' AND is_twice = 0;
  CREATE INDEX item_sent ON item (scope, who, batch);

  CREATE TABLE opt_out (
    account TEXT NOT NULL,
    phone TEXT NOT NULL,
    at INTEGER NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (account, phone)
  ) STRICT;`,
] as const;

/** SQL for rows that are unique in their batch. SQLite uses the index only if its condition is repeated word for word. */
export function isUnique(row: string): string {
  return `${row}.batch <> '' AND ${row}.is_twice = 0`;
}

/** Milliseconds without a sign of life after which a worker counts as dead. */
export const lease = 90_000;
/** Milliseconds from a claim to its request. So its answer comes before others may count this process as dead. */
export const longestClaim = 25_000;

/** Rows in a transaction: others wait for one piece at most. */
const usualPiece = 2_000;

/** Calls `act` for each piece of the numbers up to the highest. */
export async function inPieces(
  highest: number,
  act: (after: number, upTo: number) => Promise<unknown>,
  size: number = usualPiece,
): Promise<void> {
  for (let after = 0; after < highest; after += size) await act(after, after + size);
}

/** Digits of `shortHash`. */
export const hashLength = 14;

/** 53 bits of a text, in hexadecimal (cyrb53). Only compared, so `node:crypto` would take longer to load than it is worth. */
export function shortHash(text: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(16).padStart(hashLength, '0');
}
