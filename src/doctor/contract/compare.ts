import { CliError, type ExitName } from '../../base/errors.ts';
import type { Context, Ui } from '../../cli/command.ts';
import { clauses } from './clauses.ts';
import { judge } from './judge.ts';
import { acceptedIn, acceptedText, isSuccess, lastOf, type Sighting, sightingOf } from './observations.ts';
import { first, harmless, type Probe } from './probes.ts';
import { type Report, reportText } from './report-text.ts';

/** Compares the service with the API's document: sends requests without effect, in sequence. */
export async function compare(context: Context): Promise<Comparison> {
  const { target, observe } = await context.clientForRun({ concurrency: 1 });
  const { address, shownKey, mode } = target;
  context.note('calls', `${harmless.length} calls, one at a time: GETs and invalid requests`);
  let calls = 0;
  const ask: Ask = async (probe) => {
    const observed = await observe(probe, probe.key);
    calls += observed.calls;
    return sightingOf(probe, observed);
  };
  const seen: Sighting[] = [];
  for (const probe of harmless) {
    const sighting = mustNotPost(probe, seen, mode === 'sandbox') ? notSent(probe) : await send(ask, probe);
    seen.push(sighting);
    // Reported immediately, since later requests may fail.
    for (const one of acceptedIn(sighting))
      context.note('accepted', `the service accepted an invalid request: ${acceptedText(one)}`);
    if (seen.length === first.length) requireService(seen);
  }
  const observations = { address, shownKey, all: seen };
  const report = {
    clauses: clauses.map(({ expectation, ...clause }) => ({ ...clause, ...judge(expectation, observations) })),
    accepted: seen.flatMap(acceptedIn),
    calls,
  };
  const differs = report.clauses.some(({ verdict }) => verdict === 'differs');
  return {
    report,
    text: (safe, ui) => reportText(safe, target, ui),
    exit: differs ? 'opposite' : 'done',
  };
}

interface Comparison {
  readonly report: Report;
  readonly text: (report: Report, ui: Ui) => string;
  readonly exit: ExitName;
}

type Ask = (probe: Probe) => Promise<Sighting>;

function notSent(probe: Probe): Sighting {
  return { probe, answers: [], notTried: 'not tried: an incomplete request was accepted' };
}

/** True if more requests posted there could be accepted too. With a live key, one endpoint speaks for both. */
function mustNotPost({ method, endpoint }: Probe, seen: readonly Sighting[], isSandbox: boolean): boolean {
  const taken = seen.filter((sighting) => acceptedIn(sighting).length > 0);
  return method === 'POST' && taken.some(({ probe }) => !isSandbox || probe.endpoint === endpoint);
}

const mostAttempts = 3;

/** Sends a request, again if it met a service fault: requests that must be refused can be repeated. */
async function send(ask: Ask, probe: Probe): Promise<Sighting> {
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
