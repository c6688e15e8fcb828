import { announced } from '../contract/endpoints.ts';
import type { Node, Tree } from '../cli/command.ts';
import { whole } from '../cli/command.ts';
import { globals } from '../cli/globals.ts';
import { described, listed, type topicNames } from '../cli/help.ts';
import { folded } from '../cli/output/text.ts';
import { namesOf, type Params } from '../cli/params.ts';

const exitCodes = `Exit codes

  0    done
  1    internal error: a bug in bizmsg
  2    usage error, or unreadable input
  3    configuration: no profile, no key, a damaged store, a full disk
  4    the key was refused (401, 403)
  5    not found (404)
  6    rejected (400 and most other 4xx)
  7    rate limit reached, and all retries failed (429)
  8    service fault, or an invalid response; nothing changed
  9    network, TLS or time-out; nothing changed
  10   partial failure: some rows or replayed events failed or are unsure
  11   refused for safety: mode, wrong key for the address, confirmation missing
       or declined, a redirect
  12   a check failed, or the opposite of the awaited event occurred
  13   unsure: the request may have been processed. A POST was sent, and then a
       time-out, a 408, a 409, a reset, a 5xx or an invalid response followed.
       bizmsg does not repeat it unless you ask. Also: an awaited event did not
       arrive in time
  126  the command of sandbox exec or webhooks expect cannot be run
  127  the command of sandbox exec or webhooks expect was not found
  129  hung up
  130  interrupted
  143  terminated

Runs (contacts import, send-batch)

  0    no row failed or is unsure; with --first, later rows are left
  10   some rows failed or are unsure, or were left to another run
  11   nothing was sent; the option in parentheses decides what to do: people
       got the template before (--skip-sent, --again), more rows than
       --at-most, a template that does not fit, or an unfinished run that was
       idle for 12 hours or has other texts (--continue). See bizmsg help twice
  3, 4, 7, 9, 129, 130, 143
       the run stopped: the disk is full, the key is refused, 429 persists, the
       service was unreachable for 2 minutes, or a signal arrived. Run the same
       command again to send the rest. Twenty consecutive failures also stop a
       run, or three before the first accepted row; it exits with the code of
       the last failure

Other commands

  sandbox exec, webhooks expect   the code of the command that they run
  webhooks listen, sandbox start  0 when Ctrl-C, SIGTERM or SIGHUP ends it
  webhooks verify                 12 for a bad or missing signature
  doctor                          the code of the first failed check
`;

const environment = `Environment

  BIZMSG_API_KEY      the key; needs BIZMSG_BASE_URL
  BIZMSG_BASE_URL     the base URL of the service
  BIZMSG_PROFILE      the profile; cannot be combined with BIZMSG_API_KEY
  BIZMSG_MODE         sandbox or live, like --mode
  BIZMSG_ACCOUNT      a name for the account (at most 100 printable characters):
                      whose messages these are. A name in the profile comes
                      first; without any, it is the address
  BIZMSG_TEAM         the line of a team, from bizmsg team init; comes before
                      the one in the profile
  BIZMSG_LOCAL_ONLY   "1": refuse every target except the local sandbox (for
                      --profile local the one at BIZMSG_BASE_URL, if set)
  BIZMSG_WEBHOOK_SECRET   the secret that signs webhook events: printed by
                      sandbox env, used by bizmsg webhooks and your own receiver
                      (at least 16 bytes in base64)
  BIZMSG_CONFIG_DIR   folder of the profiles (default: ~/.config/bizmsg,
                      on Windows %APPDATA%\\bizmsg)
  BIZMSG_STATE_DIR    folder of everything else (default: ~/.local/state/bizmsg,
                      on Windows %LOCALAPPDATA%\\bizmsg)
  XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME
                      replace ~/.config, ~/.local/state and ~/.cache. A relative
                      path of any of these is an error (exit 3)
  HTTPS_PROXY, ALL_PROXY            an HTTP proxy for calls of the service over
                      https. HTTP_PROXY is ignored. Forwarded and replayed
                      events and the webhooks of the sandbox are reached
                      without a proxy
  NO_PROXY            hosts without a proxy, with their subdomains:
                      example.com,api.example.org:8443 (* is all)
  NODE_EXTRA_CA_CERTS               supported
  NODE_TLS_REJECT_UNAUTHORIZED      "0" disables certificate checks; bizmsg then
                      refuses to send a live key over https (exit 11)
  NO_COLOR, FORCE_COLOR             supported
  CI                  disables prompts and lines that change in place
  ACCESSIBLE          disables lines that change in place, for screen readers
  TERM                "dumb" disables colors and lines that change in place
  BROWSER             the browser of sandbox open, on Linux with xdg-open

A BIZMSG_ variable that is set but empty is an error (exit 3), because a missing
secret looks like that.

The key comes from the first of these that is set: --profile, BIZMSG_API_KEY
with BIZMSG_BASE_URL, BIZMSG_PROFILE, the profile in use. See bizmsg whoami.

BIZMSG_CONFIG_DIR contains profiles.json, with the keys. BIZMSG_STATE_DIR does
not contain keys of an account:

  ledger.db    the runs with the line, outcome and reason of each row, and the
               messages and contacts that were sent, as keyed digests; live
               messages and jobs for 400 days after their last use, others for
               30 (unsure rows: until they are settled), or until runs forget
  local.db     the same for the local sandbox
  ledger.secret
               the key of these digests
  runs         rejected rows that could not be written beside their file
  logs.db      the events that listeners received, for a week
  pace.db      recent requests, for the rate limit that all processes share
  sandbox      messages, contacts and keys of the local sandbox
  sandboxes, listeners, sandbox.log, bin, templates.json
               running processes, and files that can be recreated

Only you can read these folders. A state folder that belongs to another user,
or that others can write to, is refused (exit 3). You can remove it while
nothing runs. Then bizmsg no longer knows which rows were sent: the same command
sends all rows again.
`;

const output = `Output

Results go to stdout, everything else to stderr. On a terminal a list is an
aligned table. When piped, it is tab-separated with a header line, and a send
prints only the message_id. Reports, such as doctor, and runs look the same in
both cases.

  -o table    aligned; on a terminal limited to its width, with local times
  -o tsv      tab-separated; inside a value a tab is \\t, a line feed \\n, a
              carriage return \\r, a NUL \\0, a backslash \\\\, a quote at the
              beginning \\", and another control character such as \\u001b;
              formulas are kept, so do not open it in a spreadsheet
  -o csv      RFC 4180; a value that a spreadsheet would run as a formula gets
              an apostrophe in front ('=1+1); a value with control
              characters, or with a formula after a semicolon, tab or line
              break, starts with '\\ and has \\u001b for ESC, \\u003d for =
              and \\\\ for a backslash
  -o json     one document; a list is an array of records
  -o ndjson   one object per line
  -o id       only the ids, one per line

contacts import undoes these escapes. On a terminal, characters that reorder or
hide text are escaped too, unless stdout is a file.

Times are UTC, such as 2026-05-01T12:00:00.000Z, except in tables on a terminal.
Continuous commands, such as webhooks listen, print each item as it happens with
-o ndjson; runs print a summary with -o json.

With -o json and -o ndjson stderr has one object per line too: notes as
{"note":{"code","message"}}, and after a failure, as the last line,
{"error":{"code","message","hint","status","body","done"}}. For a call that
changes something, done is "no" or "unknown".

--columns a,b chooses columns (dots select nested fields), --no-header omits the
header line; -o json | jq filters. --quiet hides notes, except that a key is
live. --debug prints the requests to stderr, without keys.

Without a terminal, bizmsg does not prompt: a missing value exits with 2 and a
missing confirmation with 11, and the message names the option that supplies it.
--no-input does the same on a terminal.
`;

const twice = `Nobody gets the same template twice by accident

After an interruption, run the same command again: it sends the rest.

With a live key, a batch that would send a template again to people who got it
asks on a terminal, and stops elsewhere (exit 11). It counts what batches, jobs
and single messages of this machine did with the same account:

               the same text    another text
  sent         27 days          20 hours
  being sent   yes              yes
  unsure       until resolved   20 hours

So a monthly message and a daily reminder with another date pass. A correction
does not: people who were reached keep the first text.

  --skip-sent[=TIME]   skip those who got it before, within TIME whatever the
                       text (default: 30d, at most 400d); unsure rows are held
                       back (exit 10)
  --job NAME           send each row once under this name, whenever the command
                       is repeated; new people of the file are added. A new job
                       asks like a batch, and keeps --skip-sent or --again
  --again              send all once more. A script needs --job NAME with it, so
                       that repeating the command sends only the rest
  --per COLUMN         several messages for one person, told apart by a column
                       such as the order
  --continue           continue a run that was idle for 12 hours, that another
                       key began, or whose people get other texts now
  --retry-unsure       send unsure rows once more: they become sent, or stay
                       unsure. A script sends them once in 24 hours

A daily reminder needs no option. A weekly message with the same text needs a
name for the occasion: --job news-$(date +%V) --again. A file that grows keeps
one name: --job welcome.

A command continues an unfinished run if half of its people are in the input,
half of these with the same text, whatever the file is called. bizmsg runs close
ID gives a run up; it also closes after 7 idle days, unless it is a job.

An import skips what was imported within 30 days; --again imports all. A single
message asks if the same text went to the person within 10 minutes, within 20
hours by a batch, or may have been sent. With a sandbox key, a batch prints a
note and sends; a new job asks as with a live key.

bizmsg runs resolve records whether unsure rows were sent, and runs forget
permits sending again.
`;

const announcedFamilies = `The API announces these features as coming soon. It has no paths for them yet,
so bizmsg has no commands for them.

${announced.map(({ family, features }) => [family, ...features].join('\n    ')).join('\n')}
`;

const agents = `For agents and scripts

Practise in the sandbox, which needs no account and sends nothing:

  bizmsg send-template +12025550101 welcome --profile local -o json
  bizmsg sandbox messages -o json
  bizmsg sandbox exec -- npm test

BIZMSG_LOCAL_ONLY=1 refuses every other target. --mode sandbox refuses a live
key for one command, and whoami shows which key a command would use.

Before anything is sent:

  --dry-run           shows what would be sent, and why the rest would not be
  --no-input          never prompts: a missing value is exit 2, a missing
                      confirmation exit 11, and the hint names the option
  --at-most N         a live batch from a script needs it
  help -o json        all commands with their options and exit codes

Afterwards, read the exit code (bizmsg help exit-codes) before you repeat
anything. 7, 8 and 9: nothing was done, so repeat the command. 10: some rows
failed; runs show lists them. 13: the message may have been sent; do not repeat
it, but look at the events or ask a person. With -o json, stderr has one JSON
object a line, and the last one is the error: code, message, hint, and done,
which is "no" or "unknown". A run that was interrupted continues when the same
command is repeated.

With a live key and an address that is not on this machine, a command that sends
or changes something is refused (exit 11) if an AI agent runs it, which bizmsg
notices by a variable such as AI_AGENT, CLAUDECODE or CURSOR_AGENT. A person can
allow it: profiles set NAME --agents live. This is a seat belt, not a lock: who
can read the key can use it otherwise. Give an agent a sandbox key.
`;

const files = `Files of rows, for send-batch and contacts import

Excel workbooks (.xlsx), CSV and TSV with any separator, NDJSON, or a JSON
array; - is stdin. The first line of a table names its columns, in any case. In
JSON a column is a field. Of a workbook, the first visible sheet or --sheet is
read, each cell as it is shown: numbers with a decimal point, dates in their
format (2026-05-01 if that depends on the computer), long numbers with all
digits. Hidden rows count like the others.

  --map Mobile=phone     the column Mobile has the phones; a column phone, to
                         or mobile is found without it (an import: phone)
  -p :name               send-batch: the next variable is the value of the
                         column name; -p VALUE is the same text for all rows,
                         and -p ::text begins with a colon
  --where country=DE     only the rows with this value in a column; in JSON also
                         in a nested field: address.city=Bonn
  --set source=fair      contacts import: the same text in a field of all
  --type age=number      contacts import: number, boolean, json, list (split at
                         commas), list:semicolon or list:pipe

Phones with + or 00 are read in any notation: +1 (202) 555-0101. National ones
need --country: DE, Germany, or :land for the column land. With --country intl,
numbers without + begin with a country code (49170…). A file that is not UTF-8
needs --encoding, or has a byte order mark; on a terminal bizmsg asks. A row with an empty variable fails. A row that
equals an earlier one is skipped.

Failed rows are written to people.failed.csv beside people.csv or people.xlsx,
with the reason in a column that an import ignores, and unsure ones, which may
have been sent, to people.unsure.csv. Fix the rows there, and run the command
with that file.
`;

function options(): string {
  return `Options of all commands

They stand before or after the command. A command that cannot support one
refuses it (exit 2). Durations are 30, 30s or 5m.

${listed(described(globals))}
`;
}

/** The texts of the help topics. */
export const topics: Readonly<Record<(typeof topicNames)[number], () => string>> = {
  options,
  files: () => files,
  twice: () => twice,
  'exit-codes': () => exitCodes,
  output: () => output,
  environment: () => environment,
  agents: () => agents,
  announced: () => announcedFamilies,
};

/** The page of an exit code or an option; undefined if there is none of this name. */
export async function pageOf(word: string, tree: Node | Tree): Promise<string | undefined> {
  if (/^\d+$/.test(word)) return codePage(word);
  const name = `--${word.replace(/^-+/, '')}`;
  const root = tree.kind === 'tree' ? await whole(tree) : tree;
  const uses = new Map<string, string[]>();
  const collect = (params: Params, where: string) => {
    for (const param of Object.values(params)) {
      if (!namesOf(param).includes(name) || param.isHidden) continue;
      const text = listed(described({ param }));
      uses.set(text, [...(uses.get(text) ?? []), where]);
    }
  };
  collect(globals, 'all commands');
  for (const [path, params] of commandsBelow(root, [])) collect(params, path.join(' '));
  if (uses.size === 0) return undefined;
  const texts = [...uses].map(
    ([text, where]) => `${text}\n${folded([`in ${where.join(', ')}`], 78, '').replaceAll(/^/gm, '  ')}`,
  );
  return `The option ${name}\n\n${texts.join('\n\n')}\n`;
}

function commandsBelow(node: Node, path: readonly string[]): readonly (readonly [readonly string[], Params])[] {
  if (node.kind === 'command') return [[path, node.params]];
  return node.children.flatMap((child) => commandsBelow(child, [...path, child.name]));
}

function codePage(code: string): string | undefined {
  const lines = exitCodes.split('\n');
  const found = lines.flatMap((line, at) => {
    if (!new RegExp(`^  (?:\\d+, )*${code}(?:, \\d+)*(?: |$)`).test(line)) return [];
    const length = lines.slice(at + 1).findIndex((next) => !next.startsWith('     '));
    return [lines.slice(at, at + 1 + length).join('\n')];
  });
  return found.length === 0
    ? undefined
    : `Exit code ${code}\n\n${found.join('\n')}\n\nAll of them: bizmsg help exit-codes\n`;
}
