import type { CliError } from '../base/errors.ts';
import { type Answer, type RawAnswer, readAnswer } from './answer.ts';
import type { Probe } from './probes.ts';

/** What calls the service: one request, and whatever came of it. */
export type Ask = (probe: Probe) => Promise<Observed>;

export interface Observed {
  readonly answers: readonly RawAnswer[];
  readonly failure: CliError | undefined;
  readonly calls: number;
}

export interface Sighting {
  readonly probe: Probe;
  /** All that came, those after which it was asked again included. */
  readonly answers: readonly Answer[];
  readonly failure: CliError | undefined;
  /** It was not asked, since an incomplete one was accepted there. */
  readonly isBarred?: true;
}

/** In place of one that is not asked. */
export function barred(probe: Probe): Sighting {
  return { probe, answers: [], failure: undefined, isBarred: true };
}

export const notTried = 'not tried: an incomplete one was accepted';

/** All that was seen of a service. */
export interface Sightings {
  readonly all: readonly Sighting[];
  of(probe: Probe): Sighting | undefined;
}

export function sightingOf(probe: Probe, { answers, failure }: Observed): Sighting {
  return { probe, answers: answers.map((answer) => readAnswer(answer)), failure };
}

export function sightings(all: readonly Sighting[]): Sightings {
  const by = new Map(all.map((sighting) => [sighting.probe, sighting]));
  return { all, of: (probe) => by.get(probe) };
}

/** The answer that counts. */
export function lastOf(sighting: Sighting | undefined): Answer | undefined {
  return sighting?.answers.at(-1);
}
