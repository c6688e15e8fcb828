/** `who` and `per` identify a row, `text` is compared; `n` is its number in the run. Times are in milliseconds. */
export const schema = [
  `-- One row. The tick counts transactions: unlike the time, it never goes back.
  CREATE TABLE ledger (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    secret_check TEXT NOT NULL,
    tick INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE run (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL,
    mode TEXT NOT NULL,
    kind TEXT NOT NULL,
    template TEXT,
    job TEXT,
    -- From --per, as JSON.
    per_columns TEXT NOT NULL,
    is_again INTEGER NOT NULL,
    skip_sent INTEGER,
    -- Its registration is not complete: other processes do not see it.
    is_draft INTEGER NOT NULL,
    is_closed INTEGER NOT NULL DEFAULT 0,
    has_ended INTEGER NOT NULL DEFAULT 0,
    -- When it began.
    tick INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    resumes_at INTEGER NOT NULL DEFAULT 0,
    -- Where its latest process began.
    start TEXT,
    command TEXT NOT NULL,
    typed TEXT NOT NULL,
    file TEXT,
    -- Rows of the input, those that cannot be sent, and those that the run does not send.
    rows INTEGER NOT NULL,
    invalid INTEGER NOT NULL,
    skipped INTEGER NOT NULL DEFAULT 0,
    stopped TEXT,
    -- JSON.
    files TEXT NOT NULL DEFAULT '{}',
    -- The number of its items in each state.
    planned INTEGER NOT NULL DEFAULT 0,
    leaving INTEGER NOT NULL DEFAULT 0,
    released INTEGER NOT NULL DEFAULT 0,
    withdrawn INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    unsure INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE UNIQUE INDEX run_job ON run (account, mode, job) WHERE job IS NOT NULL AND is_draft = 0;

  -- The owner is the process that claimed the row, while it is leaving or unsure.
  CREATE TABLE item (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    n INTEGER NOT NULL,
    who BLOB NOT NULL,
    per BLOB NOT NULL,
    text BLOB NOT NULL,
    state INTEGER NOT NULL,
    at INTEGER NOT NULL,
    tick INTEGER NOT NULL,
    owner TEXT,
    line INTEGER,
    message_id TEXT,
    code TEXT,
    reason TEXT,
    retried_at INTEGER,
    PRIMARY KEY (run, n)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX item_row ON item (who, per, run);

  -- Rows of the input of the latest command that are not in the run: those that cannot be sent, or that it skips.
  CREATE TABLE unsent (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    line INTEGER NOT NULL,
    code TEXT NOT NULL,
    reason TEXT,
    PRIMARY KEY (run, line)
  ) STRICT, WITHOUT ROWID;

  -- A process that works on a run. One that ended is removed; one that was found dead stays with the run.
  CREATE TABLE owner (
    id TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    pid INTEGER NOT NULL,
    start TEXT,
    beat INTEGER NOT NULL,
    is_dead INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (id, run)
  ) STRICT, WITHOUT ROWID;`,
] as const;
