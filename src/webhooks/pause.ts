/** Resolves after so many milliseconds, or as soon as the signal says so. */
export function pause(milliseconds: number, later: Later, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      callOff();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const callOff = later(milliseconds, end);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}
import type { Later } from '../base/host.ts';
