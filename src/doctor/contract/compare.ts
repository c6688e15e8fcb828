import { CliError } from '../../base/errors.ts';
import { clauses } from './clauses.ts';
import { type FindRecords, type Found, type Gap, gaps } from './gaps.ts';
import {
  type Accepted,
  acceptedIn,
  type Ask,
  barred,
  isBarred,
  isSuccess,
  lastOf,
  type Sighting,
  sightingOf,
  sightings,
  type Sightings,
} from './observations.ts';
import { first, harmless, plannedIn, type Probe } from './probes.ts';
import type { Clause, Facts, Judged } from './verdict.ts';

interface Examination {
  readonly ask: Ask;
  readonly find: FindRecords;
  readonly facts: Facts;
  /** Called immediately for accepted requests that should have been refused, since later ones may fail. */
  readonly onAccepted: (accepted: Accepted) => void;
}

/** The number of requests without retries. */
export function plannedCalls({ writes }: Facts): number {
  return harmless.length + plannedIn(writes).length;
}

/** Sends the requests in sequence, harmless ones first, and compares the answers with the document. */
export async function examine({ ask, find, facts, onAccepted }: Examination): Promise<Examined> {
  let calls = 0;
  const accepted: Accepted[] = [];
  const all: Sighting[] = [];
  const counting: Ask = async (probe) => {
    const observed = await ask(probe);
    calls += observed.calls;
    return observed;
  };
  for (const probe of harmless) {
    const sighting = isBarred(probe, all, facts) ? barred(probe) : await look(counting, probe);
    all.push(sighting);
    for (const one of acceptedIn(sighting)) {
      accepted.push(one);
      onAccepted(one);
    }
    if (all.length === first.length) requireService(all);
  }
  const written: Sighting[] = [];
  for (const probe of plannedIn(facts.writes))
    written.push(isBarred(probe, all, facts) ? barred(probe) : await make(counting, probe));
  const report = { ...reportOf(sightings([...all, ...written]), facts, find), accepted, calls };
  return { report, fault: written.map(({ failure }) => failure).find((failure) => failure && isOpen(failure)) };
}

async function make(ask: Ask, probe: Probe): Promise<Sighting> {
  const sighting = sightingOf(probe, await ask(probe));
  if (sighting.failure?.exit === 'interrupted') throw sighting.failure;
  return sighting;
}

/** The write may have been done, or could not be tried: the command must fail, not only report it. */
function isOpen({ status, done }: CliError): boolean {
  return done === 'unknown' || status === undefined;
}

const mostLooks = 3;

/** Sends a request, again if it met a service fault: requests that must be refused can be repeated. */
async function look(ask: Ask, probe: Probe): Promise<Sighting> {
  let sighting = sightingOf(probe, await ask(probe));
  for (let looks = 1; looks < mostLooks && hasFault(sighting); looks++) {
    const again = sightingOf(probe, await ask(probe));
    sighting = { ...again, answers: [...sighting.answers, ...again.answers] };
  }
  const { failure } = sighting;
  if (failure && !lastOf(sighting) && !isOfThisRequest(failure)) throw failure;
  return sighting;
}

/** GETs are retried by the client itself. */
function hasFault(sighting: Sighting): boolean {
  return sighting.probe.method === 'POST' && (lastOf(sighting)?.status ?? 0) >= 500;
}

/** The connection broke after the request was sent, which may be how the service refuses it. */
function isOfThisRequest({ exit }: CliError): boolean {
  return exit === 'unsure' || exit === 'serviceFault';
}

/** Fails if the API does not answer at all, or not this key, rather than reporting twenty clauses. */
function requireService(all: readonly Sighting[]): void {
  const statuses = all.map((sighting) => lastOf(sighting)?.status ?? 0);
  if (statuses.some((status) => isSuccess(status) || status === 400 || status === 422)) return;
  const failure = all.find((sighting) => sighting.failure)?.failure;
  if (failure && statuses.every((status) => status === 404 || status === 405)) {
    throw new CliError('notFound', 'no-api', 'nothing of the API answers at this address', {
      hint: 'check the base URL: the paths begin with /api/public',
      status: failure.status,
    });
  }
  if (failure) throw failure;
}

export type JudgedClause = Omit<Clause, 'judge'> & Judged;
export type FilledGap = Omit<Gap, 'find'> & Found;

/** The comparison with the document. Contains no record values and no key. */
export interface Report {
  readonly clauses: readonly JudgedClause[];
  readonly notShown: readonly FilledGap[];
  /** Accepted requests that should have been refused; after the first, no more are posted to that endpoint. */
  readonly accepted: readonly Accepted[];
  readonly calls: number;
}

interface Examined {
  readonly report: Report;
  /** The failure of a write that may have been done or could not be tried. */
  readonly fault: CliError | undefined;
}

function reportOf(seen: Sightings, facts: Facts, find: FindRecords): Omit<Report, 'calls' | 'accepted'> {
  return {
    clauses: clauses.map(({ judge, ...clause }) => ({ ...clause, ...judge(seen, facts) })),
    notShown: gaps.map(({ find: look, ...gap }) => ({ ...gap, ...look({ seen, facts, find }) })),
  };
}
