import { CliError } from '../../base/errors.ts';
import { maskKey } from '../../base/redact.ts';
import type { Sandboxes } from '../sandboxes.ts';
import type { Session } from '../session.ts';
import { type CallerInputs, type Caller, callerInputs, resolve, type Source, sources } from './resolve.ts';

/** The caller of the next command as it may be shown, and why it was chosen. */
export interface CallerReport {
  readonly winner: Winner | undefined;
  readonly problem: CliError | undefined;
  readonly candidates: readonly Candidate[];
}

interface Winner {
  readonly profile: string | null;
  readonly source: Source;
  readonly mode: string;
  /** Null for a sandbox that is not running: it starts on demand. */
  readonly address: string | null;
  readonly key: string | null;
  readonly plan: string | null;
}

export async function describeCaller(session: Session): Promise<CallerReport> {
  const { caller, problem, candidates } = explain(callerInputs(session));
  return { winner: caller && winnerOf(caller, await session.sandboxes()), problem, candidates };
}

function winnerOf(caller: Caller, sandboxes: Sandboxes): Winner {
  const { source, mode } = caller;
  if (caller.kind === 'local') {
    const running = sandboxes.find();
    const key = running ? maskKey(running.keys[caller.mode]) : null;
    return { profile: 'local', source, mode, address: running?.url ?? null, key, plan: null };
  }
  const { profile = null, baseUrl, key, plan = null } = caller;
  return { profile, source, mode, address: baseUrl, key: maskKey(key), plan };
}

/** A possible source of the caller, and why it won or lost. Keys are masked. */
export interface Candidate {
  readonly source: Source;
  readonly wins: boolean;
  readonly profile?: string | undefined;
  readonly address?: string | undefined;
  readonly mode?: string | undefined;
  readonly key?: string | undefined;
  readonly why: string;
}

export interface Explanation {
  readonly caller?: Caller | undefined;
  /** The reason if there is no caller. */
  readonly problem?: CliError | undefined;
  readonly candidates: readonly Candidate[];
}

/** Explains which caller `resolve` returns, or what it throws. */
export function explain(inputs: CallerInputs): Explanation {
  const outcome = attempt(() => resolve(inputs));
  const attempts = sources(inputs).map(({ source, offer }) => ({ source, ...attempt(offer) }));
  const decisive = attempts.findIndex(({ caller, problem }) => caller ?? problem);
  const first = attempts[decisive]?.source;
  const candidates = attempts.map(({ source, caller, problem }, at) => ({
    source,
    wins: at === decisive && outcome.caller !== undefined,
    ...(caller && shown(caller)),
    why: at > decisive && (caller ?? problem) ? loss(first, problem) : reason({ source, caller, problem }, outcome),
  }));
  return { ...outcome, candidates };
}

interface Attempt {
  readonly caller?: Caller | undefined;
  readonly problem?: CliError | undefined;
}

function attempt(make: () => Caller | undefined): Attempt {
  try {
    return { caller: make() };
  } catch (error) {
    if (error instanceof CliError) return { problem: error };
    throw error;
  }
}

function loss(first: Source | undefined, problem: CliError | undefined): string {
  return [`${first} comes first`, ...(problem ? [problem.message] : [])].join('; ');
}

function reason({ source, caller, problem }: Attempt & { source: Source }, outcome: Attempt): string {
  if (problem) return problem.message;
  if (caller) return outcome.problem?.message ?? 'the first that is set';
  return source === 'newcomer' ? 'only used on a terminal, before the first profile' : 'not set';
}

function shown(caller: Caller): Omit<Candidate, 'source' | 'wins' | 'why'> {
  if (caller.kind === 'local') return { profile: 'local', address: 'the sandbox on this machine', mode: caller.mode };
  return { profile: caller.profile, address: caller.baseUrl, mode: caller.mode, key: maskKey(caller.key) };
}
