import type { CliError } from '../base/errors.ts';
import type { Accepted } from './accepted.ts';
import { clauses } from './clauses/clauses.ts';
import type { FindRecords, Found, Gap } from './findings/finding.ts';
import { gaps } from './findings/gaps.ts';
import type { Sightings } from './sightings.ts';
import type { Clause, Facts, Judged } from './verdict.ts';

export type JudgedClause = Omit<Clause, 'judge'> & Judged;
export type FilledGap = Omit<Gap, 'find'> & Found;

/** A server beside the document. No value of a record is in it, nor the key. */
export interface Report {
  readonly clauses: readonly JudgedClause[];
  readonly notShown: readonly FilledGap[];
  /** What had to be refused, and was not: the first of each endpoint, after which no more is posted. */
  readonly accepted: readonly Accepted[];
  readonly calls: number;
}

export interface Examined {
  readonly report: Report;
  /** Of a write that may have been done, or that could not be tried. */
  readonly fault: CliError | undefined;
}

export function reportOf(seen: Sightings, facts: Facts, find: FindRecords): Omit<Report, 'calls' | 'accepted'> {
  return {
    clauses: clauses.map(({ judge, ...clause }) => ({ ...clause, ...judge(seen, facts) })),
    notShown: gaps.map(({ find: look, ...gap }) => ({ ...gap, ...look({ seen, facts, find }) })),
  };
}
