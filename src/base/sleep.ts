/** Runs a function after some milliseconds; returns a cancel function. */
export type Later = (milliseconds: number, run: () => void) => () => void;

/** Resolves after some milliseconds, or as soon as the signal aborts. */
export function sleep(milliseconds: number, later: Later, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = later(milliseconds, end);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}

/** Resolves when the signal aborts, immediately if it has. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
