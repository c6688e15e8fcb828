import type { Host } from '../host.ts';
import { processStart } from '../process-life.ts';
import { openAppender } from './files.ts';
import type { Appender } from './files.ts';
import type { Came, Ending, Facts, Intent } from './record.ts';
import type { Hidden } from './written.ts';

/** A call that is about to leave, and what comes of it. */
export interface Entry {
  readonly intent: Intent;
  /** Has the disk take the intent: a machine that loses its power still knows of it. */
  sync(): void;
  end(came: Came, forgives?: readonly string[]): void;
}

export interface Writer {
  readonly folder: string;
  readonly hidden: Hidden;
  readonly process: Pick<Host, 'pid' | 'now' | 'random'>;
  /** Told what keeps it from being written or read; the call goes on. */
  readonly onFault: (error: unknown, at: FaultAt) => void;
}

/** The intent, what came of it, or what was sent before. */
type FaultAt = 'intent' | 'ending' | 'earlier';

/** Writes that something is about to leave. When nothing comes after it, nobody knows what came of it. */
export function begin({ folder, hidden, process: own, onFault }: Writer, facts: Facts): Entry {
  const { pid } = own;
  const at = own.now();
  const id = `${at.toString(36)}-${pid.toString(36)}-${Math.floor(own.random() * 36 ** 6).toString(36)}`;
  const intent: Intent = { type: 'intent', id, at, pid, start: processStart(pid), ...facts };
  let log: Appender | undefined;
  const attempt = (at: FaultAt, act: () => void) => {
    try {
      act();
    } catch (error) {
      log = closed(log);
      onFault(error, at);
    }
  };
  attempt('intent', () => {
    log = openAppender(folder, hidden);
    log.append(intent);
  });
  return {
    intent,
    sync: () => attempt('intent', () => log?.sync()),
    end: (came, forgives) => {
      const ending: Ending = { type: 'ending', id, at: own.now(), digest: facts.digest, ...came, forgives };
      attempt('ending', () => log?.append(ending));
      log = closed(log);
    },
  };
}

function closed(log: Appender | undefined): undefined {
  log?.close();
}
