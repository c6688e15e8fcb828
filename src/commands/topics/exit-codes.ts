export const exitCodesTopic = `Exit codes

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

  0    every row is done, now or before
  10   it is finished, and some rows failed or are unsure; with --resume again
       each time, as long as the file itself is not mended
  11   nothing was sent: the same is unfinished or was finished before, or the
       number of rows is not that of --expect-count
  3, 4, 7, 9, 129, 130, 143
       it stopped: the disk is full, the key is refused, 429 goes on, the
       service was out of reach for 2 minutes, or a signal came. The rest is
       not sent, and --resume goes on. Twenty consecutive failures stop it
       too, with the code of the last one

Of other commands

  sandbox exec, webhooks expect   the code of the command that they run
  webhooks listen, sandbox start  0 when Ctrl-C ends it
  webhooks verify                 12 for a bad signature or none
  doctor                          the code of the first check that fails; with
                                  --contract 12 where the service differs
`;
