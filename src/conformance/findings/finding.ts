import type { Answer } from '../answer.ts';
import type { Probe } from '../probes.ts';
import { lastOf, notTried, type Sightings } from '../sightings.ts';
import { type Facts } from '../verdict.ts';
import { isSuccess } from '../answer.ts';
import type { Records } from './fields.ts';

/** Finds the records in a body of unknown shape. */
export type FindRecords = (body: unknown) => Records | undefined;

export interface Look {
  readonly seen: Sightings;
  readonly facts: Facts;
  readonly find: FindRecords;
}

export interface Found {
  readonly found: readonly string[];
  /** Why nothing was; null where something was. */
  readonly why: string | null;
}

/** Something that the document does not show, and how to find what it turns out to be. */
export interface Gap {
  readonly id: string;
  readonly section: string;
  readonly what: string;
  readonly find: (look: Look) => Found;
}

export function found(lines: readonly string[], otherwise = 'nothing of it was seen'): Found {
  return { found: lines, why: lines.length > 0 ? null : otherwise };
}

export const notFound = (why: string): Found => ({ found: [], why });

/** What an answer of success, in JSON, says to that. */
export function fromSuccess(seen: Sightings, probe: Probe, read: (body: unknown, answer: Answer) => Found): Found {
  const sighting = seen.of(probe);
  const answer = lastOf(sighting);
  if (sighting?.isBarred) return notFound(notTried);
  if (!answer) return notFound(sighting?.failure?.message ?? 'it was not asked');
  if (!isSuccess(answer.status)) return notFound(`it was answered ${answer.status}`);
  if (answer.content.kind === 'other') return notFound('the answer is not JSON');
  return read(answer.content.kind === 'empty' ? undefined : answer.content.value, answer);
}

/** A gap that nobody can look into without doing harm, or from here. */
export function untried(id: string, section: string, what: string, why: string): Gap {
  return { id, section, what, find: () => notFound(why) };
}
