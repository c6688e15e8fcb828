import { announced } from '../contract/endpoints.ts';

/** The help topics. Each is a function, so that none costs anything before it is asked for. */
export const topics = {
  'exit-codes': () => exitCodes,
  environment: () => environment,
  output: () => output,
  announced: () => announcedTopic(),
} as const;

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
  10   a batch finished with failed or unsure rows
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
`;

const environment = `Environment

  BIZMSG_API_KEY      the key; needs BIZMSG_BASE_URL
  BIZMSG_BASE_URL     the service's address
  BIZMSG_PROFILE      the profile; not together with BIZMSG_API_KEY
  BIZMSG_MODE         sandbox or live: the kind of key that must be used
  BIZMSG_ONLY         "local": refuse every target but the sandbox on this machine
                      (for --profile local the one at BIZMSG_BASE_URL, if any)
  BIZMSG_WEBHOOK_SECRET   what signs events: printed by sandbox env, and used by
                      bizmsg webhooks and your own receiver
  BIZMSG_CONFIG_DIR   where profiles are kept (~/.config/bizmsg)
  BIZMSG_STATE_DIR    where the sandbox keeps what it needs (~/.local/state/bizmsg)
  HTTPS_PROXY, NO_PROXY          obeyed, but never for this machine itself
  NO_COLOR, FORCE_COLOR, CI      obeyed
  ACCESSIBLE          no line changes in place: for a screen reader
  LC_ALL, LC_CTYPE, LANG         where they name no UTF-8, a terminal is shown
                      plain letters only

A BIZMSG_ variable that is set but empty is an error (exit 3): it is what a
missing secret looks like.

Who is calling, first match wins: --profile, then BIZMSG_API_KEY with
BIZMSG_BASE_URL, then BIZMSG_PROFILE, then the profile in use. See
bizmsg whoami --explain.
`;

const output = `Output

Results go to stdout, everything else to stderr. On a terminal a list is an
aligned table; through a pipe it is tab-separated with a header line, and a
send prints the bare message_id.

  -o table    aligned; on a terminal as much as fits, with times as its clock has
              them
  -o tsv      tab-separated; inside a value a tab is \\t, a line feed \\n, a
              carriage return \\r, a NUL \\0 and a backslash \\\\
  -o csv      RFC 4180
  -o json     one document; a list is the array of its records
  -o ndjson   one object a line
  -o id       the id alone, a line each

With -o json and -o ndjson stderr is one object a line too: notes as
{"note":{"code","message"}}, and last, on failure,
{"error":{"code","message","hint","status","body","done"}}, where done is "no"
or "unknown" for a call that changes something.

--columns a,b chooses columns (dots reach into objects), --no-header leaves the
header line out, --query takes a JMESPath expression: --query '[].phone' prints
a line each.
`;

function announcedTopic(): string {
  const lines = announced.map(({ family, what }) => `  ${family.padEnd(10)} ${what.join(', ')}`);
  return `Announced by the API as coming soon, with no path yet. No command pretends to
have any of it.

${lines.join('\n')}
`;
}
