import type { Host } from '../base/host.ts';
import { createGauge, mayMove, progressLine, type Standing } from './output/progress.ts';
import type { Globals } from './globals.ts';
import type { Reporter } from './report.ts';

/** Shows how far a run has come: live on a terminal, elsewhere a note now and then. */
export interface Progress {
  show(standing: Omit<Standing, 'perSecond'>): void;
  end(): void;
}

/** Milliseconds between two lines, and between two notes. */
const [redrawn, noted] = [100, 30_000];
/** More than a log wants in one line. */
const noteColumns = 100;

export function createProgress(host: Host, given: Globals, reporter: Reporter): Progress {
  const gauge = createGauge(host.now);
  const { stderr, stdout } = host;
  // Lines of results on the same screen would have no last line to stand above.
  const isFree = !given.debug && !(stdout.isTTY && given.output === 'ndjson');
  const isLive = isFree && mayMove(host);
  let [lookedAt, shownAt] = [0, host.now()];
  return {
    show(standing) {
      if (given.quiet) return;
      const now = host.now();
      if (now - lookedAt < redrawn) return;
      lookedAt = now;
      const perSecond = gauge(standing.settled);
      if (now - shownAt < (isLive ? redrawn : noted)) return;
      shownAt = now;
      const line = progressLine({ ...standing, perSecond }, isLive ? (stderr.columns ?? 80) - 1 : noteColumns);
      if (isLive) reporter.live(line);
      else reporter.note('progress', line);
    },
    end: () => reporter.live(''),
  };
}
