export interface Deadline {
  /** Aborted when the time is up or the user ends the process. */
  readonly signal: AbortSignal;
  release(): void;
}

const longest = 2 ** 31 - 1;

/** By hand: AbortSignal.any leaves a listener on the user's signal for each of a run's thousands of requests. */
export function openDeadline(milliseconds: number, user: AbortSignal): Deadline {
  const controller = new AbortController();
  const timer = AbortSignal.timeout(Math.min(milliseconds, longest));
  const abort = () => controller.abort();
  for (const source of [timer, user]) source.addEventListener('abort', abort);
  if (user.aborted) abort();
  return {
    signal: controller.signal,
    release: () => {
      for (const source of [timer, user]) source.removeEventListener('abort', abort);
    },
  };
}
