import { CliError } from '../base/errors.ts';

export interface Patience {
  readonly signal: AbortSignal;
  /** In milliseconds. */
  readonly patience: number;
}

/** What a work comes to, unless time runs out first; who ends this process waits for nothing. */
export async function interruptible<T>(work: Promise<T>, { signal, patience }: Patience): Promise<T | 'late'> {
  let release = () => {};
  const ended = new Promise<'late'>((resolve, reject) => {
    const abort = () => reject(new CliError('interrupted', 'interrupted', 'interrupted'));
    const timer = setTimeout(() => resolve('late'), patience);
    signal.addEventListener('abort', abort);
    release = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    release();
  }
}
