export const environmentTopic = `Environment

  BIZMSG_API_KEY      the key; needs BIZMSG_BASE_URL
  BIZMSG_BASE_URL     the service's address
  BIZMSG_PROFILE      the profile; not together with BIZMSG_API_KEY
  BIZMSG_MODE         sandbox or live: the mode of the key that has to be used
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
  TERM                "dumb": no colours, and no line changes in place
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
