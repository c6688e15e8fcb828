import type { CliError, ExitName } from '../../errors.ts';

/**
 * What a refused send means for its row and for the run: `unsure` has an answer, `lost` has none, so perhaps nobody is
 * there any more; the others were not sent: nobody is there, no row would be taken now, or it was called off.
 */
export type Fate = 'failed' | 'unsure' | 'lost' | 'unreached' | 'barred' | 'withdrawn';

export function fateOf({ exit, done, status }: CliError): Fate {
  if (exit === 'unsure' || done === 'unknown') {
    return status === undefined && exit !== 'interrupted' ? 'lost' : 'unsure';
  }
  return unsent[exit] ?? 'failed';
}

const unsent: Readonly<Partial<Record<ExitName, Fate>>> = {
  configuration: 'barred',
  interrupted: 'withdrawn',
  network: 'unreached',
  keyRefused: 'barred',
  rateLimited: 'barred',
};
