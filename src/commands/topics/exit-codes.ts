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
