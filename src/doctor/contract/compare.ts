import { CliError, type ExitName } from '../../base/errors.ts';
import type { Context, Ui } from '../../cli/command.ts';
import { clauses } from './clauses.ts';
import { isPost, type PostName } from '../../contract/endpoints.ts';
import { gaps } from './gaps.ts';
import {
  acceptedIn,
  acceptedText,
  barred,
  isBarred,
  isSuccess,
  lastOf,
  type Sighting,
  sightingOf,
  sightings,
  type Sightings,
} from './observations.ts';
import { type Allowed, first, harmless, plannedIn, planWrites, type Probe } from './probes.ts';
import { type Report, reportText } from './report-text.ts';
import type { Facts } from './verdict.ts';

/** Compares the service with the API's document: sends requests in sequence, first those without effect. */
export async function compare(context: Context, allowed: Allowed | undefined): Promise<Comparison> {
  const { target, observe } = await context.clientForRun({ concurrency: 1 });
  const { address, shownKey, mode } = target;
  const facts = { address, shownKey, isSandbox: mode === 'sandbox', writes: planWrites(allowed) };
  const planned = plannedIn(facts.writes);
  if (!facts.isSandbox && planned.length > 0) await context.confirm(question(planned, allowed));
  const changing = planned.length === 0 ? 'GETs and invalid requests' : `${planned.length} of them write`;
  context.note('calls', `${harmless.length + planned.length} calls, one at a time: ${changing}`);
  let calls = 0;
  const ask: Ask = async (probe) => {
    const observed = await observe(probe, probe.key);
    calls += observed.calls;
    return sightingOf(probe, observed);
  };
  const seen = await sendAllHarmless(ask, facts, context);
  const written: Sighting[] = [];
  for (const probe of planned) written.push(isBarred(probe, seen, facts) ? barred(probe) : await sendWrite(ask, probe));
  const report = { ...reportOf(sightings([...seen, ...written]), facts), accepted: seen.flatMap(acceptedIn), calls };
  const fault = written.map(({ failure }) => failure).find((failure) => failure && mustFail(failure));
  const differs = report.clauses.some(({ verdict }) => verdict === 'differs');
  return {
    report,
    text: (safe, ui) => reportText(safe, facts, ui),
    exit: fault ?? (differs ? 'opposite' : 'done'),
    changed: planned.length > 0,
  };
}

interface Comparison {
  readonly report: Report;
  readonly text: (report: Report, ui: Ui) => string;
  /** A write that may have been done or could not be tried fails the command. */
  readonly exit: ExitName | CliError;
  /** Whether it sent real writes. */
  readonly changed: boolean;
}

type Ask = (probe: Probe) => Promise<Sighting>;

/** The confirmation before writes with a live key. */
function question(planned: readonly Probe[], allowed: Allowed | undefined): string {
  const actions: Readonly<Record<PostName, string>> = {
    sendTemplate: `send ${allowed?.template} to ${allowed?.to}`,
    createContact: 'create a contact',
  };
  const text = planned.flatMap(({ endpoint }) => (endpoint && isPost(endpoint) ? actions[endpoint] : [])).join(' and ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}, with a live key?`;
}

/** Reports an accepted request immediately, since later ones may fail. */
async function sendAllHarmless(ask: Ask, facts: Facts, { note }: Context): Promise<readonly Sighting[]> {
  const seen: Sighting[] = [];
  for (const probe of harmless) {
    const sighting = isBarred(probe, seen, facts) ? barred(probe) : await sendHarmless(ask, probe);
    seen.push(sighting);
    for (const one of acceptedIn(sighting))
      note('accepted', `the service accepted an invalid request: ${acceptedText(one)}; bizmsg activity lists it`);
    if (seen.length === first.length) requireService(seen);
  }
  return seen;
}

async function sendWrite(ask: Ask, probe: Probe): Promise<Sighting> {
  const sighting = await ask(probe);
  if (sighting.failure?.exit === 'interrupted') throw sighting.failure;
  return sighting;
}

function mustFail({ status, done }: CliError): boolean {
  return done === 'unknown' || status === undefined;
}

const mostAttempts = 3;

/** Sends a request, again if it met a service fault: requests that must be refused can be repeated. */
async function sendHarmless(ask: Ask, probe: Probe): Promise<Sighting> {
  let sighting = await ask(probe);
  for (let attempts = 1; attempts < mostAttempts && hasFault(sighting); attempts++) {
    const again = await ask(probe);
    sighting = { ...again, answers: [...sighting.answers, ...again.answers] };
  }
  const { failure } = sighting;
  if (failure && !lastOf(sighting) && !isConclusive(failure)) throw failure;
  return sighting;
}

/** GETs are retried by the client itself. */
function hasFault(sighting: Sighting): boolean {
  return sighting.probe.method === 'POST' && (lastOf(sighting)?.status ?? 0) >= 500;
}

/** The connection broke after the request was sent, which may be how the service refuses it. */
function isConclusive({ exit }: CliError): boolean {
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

function reportOf(seen: Sightings, facts: Facts): Omit<Report, 'calls' | 'accepted'> {
  return {
    clauses: clauses.map(({ judge, ...clause }) => ({ ...clause, ...judge(seen, facts) })),
    notShown: gaps.map(({ find, ...gap }) => ({ ...gap, ...find({ seen, facts }) })),
  };
}
