import { announced } from '../contract/endpoints.ts';

const exitCodes = `Exit codes

  0    done
  1    unexpected: a bug in bizmsg
  2    usage, or input that cannot be read
  3    configuration: no profile, no key, a damaged store, a full disk
  4    the key was refused (401, 403)
  5    not found (404)
  6    rejected (400 and any other 4xx)
  7    rate-limited, and the retries are used up (429)
  8    service fault, or an answer that cannot be read; nothing changed
  9    network, TLS or time-out; nothing changed
  10   some of several failed or are unsure: rows of a run, replayed events
  11   refused for safety: mode, wrong key for the address, confirmation missing
       or declined, a redirect
  12   the opposite came of what was waited for, or a check did not hold
  13   unsure: it may have been done. A POST was sent, and then came a time-out,
       a reset, a 5xx or an answer that cannot be read. It is never repeated
       without your word. Or what was waited for did not come in time
  126  the command of sandbox exec or webhooks expect cannot be run
  127  the command of sandbox exec or webhooks expect is not found
  129  hung up
  130  interrupted
  143  terminated

Of a run (contacts import, send-batch)

  0    no row failed, and none is unsure; with --first, later rows are left
  10   some rows failed or are unsure: each time, until they are settled
  11   nothing was sent: a finished run has sent these rows (--new-only,
       --again), the number of rows is not that of --expect-count or above
       --at-most, or a run would be continued that was idle for 12 hours
       (--continue) or whose rows were changed (--changed)
  3, 4, 7, 9, 129, 130, 143
       it stopped: the disk is full, the key is refused, 429 goes on, the
       service was unreachable for 2 minutes, or a signal came. Run the same
       command again to send the rest. Twenty consecutive failures stop it
       too, with the code of the last one; three before any row is accepted

Of other commands

  sandbox exec, webhooks expect   the code of the command that they run
  webhooks listen, sandbox start  0 when Ctrl-C ends it
  webhooks verify                 12 for a bad signature or none
  doctor                          the code of the first check that fails; with
                                  --contract 12 where the service differs
`;

const environment = `Environment

  BIZMSG_API_KEY      the key; needs BIZMSG_BASE_URL
  BIZMSG_BASE_URL     the service's address
  BIZMSG_PROFILE      the profile; not together with BIZMSG_API_KEY
  BIZMSG_MODE         sandbox or live: require a key of this mode
  BIZMSG_ACCOUNT      a name of your choice for the account (at most 100
                      printable characters), so that it is recognized after its
                      key is replaced; overrides the id that a profile has
  BIZMSG_ONLY         "local": refuse every target but the sandbox on this
                      machine (for --profile local the one at BIZMSG_BASE_URL,
                      if any)
  BIZMSG_WEBHOOK_SECRET   the webhook secret, which signs events: printed by
                      sandbox env, used by bizmsg webhooks and your own receiver
                      (at least 16 bytes in base64)
  BIZMSG_CONFIG_DIR   where profiles are kept (~/.config/bizmsg)
  BIZMSG_STATE_DIR    where all else is kept (~/.local/state/bizmsg)
  XDG_CONFIG_HOME, XDG_STATE_HOME   in place of ~/.config and ~/.local/state
  HTTPS_PROXY, ALL_PROXY, NO_PROXY  obeyed, but never for this machine itself
  NODE_EXTRA_CA_CERTS               obeyed
  NODE_TLS_REJECT_UNAUTHORIZED      "0" turns certificate checks off: no live
                      key is sent over https then (exit 11)
  NO_COLOR, FORCE_COLOR             obeyed
  CI                  nothing is asked, and no line changes in place
  ACCESSIBLE          no line changes in place: for a screen reader
  TERM                "dumb": no colors, and no line changes in place
  LC_ALL, LC_CTYPE, LANG            where they name no UTF-8, a terminal is
                      shown plain letters only
  SHELL               whose completion is installed

A BIZMSG_ variable that is set but empty is an error (exit 3): it is what a
missing secret looks like.

Who is calling, first match wins: --profile, then BIZMSG_API_KEY with
BIZMSG_BASE_URL, then BIZMSG_PROFILE, then the profile in use. See
bizmsg whoami --explain.

In the folder of BIZMSG_CONFIG_DIR is profiles.json, with the keys. In that of
BIZMSG_STATE_DIR, which holds no key of an account:

  ledger       the messages and contacts that were sent, as keyed digests, and
               the list of runs; for 30 days (jobs: 400 days; unsure rows:
               until they are settled), or until runs forget
  runs         the outcomes of the rows of each run, by line
  activity     a log of calls that changed something at the service; up to 64 MB
  events       events that listeners received; for a week
  pace         the used part of a plan's minute, for all processes
  sandbox      messages, contacts and keys of the local sandbox
  sandboxes, listeners, sandbox.log, bin, templates.json
               running processes, and files that can be made again

Only you can read these folders. A state folder that belongs to another user,
or that others can write to, is refused (exit 3). It may be removed while
nothing runs. After that, bizmsg does not know what was sent: the same command
sends all rows again.
`;

const output = `Output

Results go to stdout, everything else to stderr. On a terminal a list is an
aligned table; through a pipe it is tab-separated with a header line, and a
send prints the bare message_id. Reports, such as doctor, and runs read the
same in both.

  -o table    aligned; on a terminal as much as fits, with times as its clock
              has them
  -o tsv      tab-separated; inside a value a tab is \\t, a line feed \\n, a
              carriage return \\r, a NUL \\0, a backslash \\\\, a quote at the
              beginning \\", and another control character such as \\u001b
  -o csv      RFC 4180; a value that a spreadsheet would run as a formula gets
              an apostrophe in front ('=1+1), unless --raw-formulas is given;
              one with control characters is '\\ and the value with \\u001b for
              ESC and \\\\ for a backslash
  -o json     one document; a list is the array of its records
  -o ndjson   one object a line
  -o id       the id alone, a line each

An import undoes all of this. On a terminal, marks that reorder or hide text are
escaped too unless stdout is a file.

Times are UTC, such as 2026-05-01T12:00:00.000Z, but for those of a table on a
terminal. What goes on, such as webhooks listen or a run, prints each item as it
happens with -o ndjson, and one summary with -o json.

With -o json and -o ndjson stderr is one object a line too: notes as
{"note":{"code","message"}}, and last, on failure,
{"error":{"code","message","hint","status","body","done"}}, where done is "no"
or "unknown" for a call that changes something.

--columns a,b chooses columns (dots reach into objects), --no-header leaves the
header line out, --query takes a JMESPath expression: --query '[].phone' prints
a line each. --quiet leaves out notes, but not those that say whether a send is
real, and no errors. --debug adds the requests to stderr, without keys.

Without a terminal nothing is asked: a value that is missing is exit 2, and a
confirmation exit 11, naming the option that gives it. --no-input has it so on a
terminal too.
`;

const announcedFamilies = `Announced by the API as coming soon, with no path yet. No command pretends to
have any of it.

${announced.map(({ family, features }) => `  ${family.padEnd(10)} ${features.join(', ')}`).join('\n')}
`;

/** The texts of the help topics. */
export const topics = { 'exit-codes': exitCodes, environment, output, announced: announcedFamilies } as const;
