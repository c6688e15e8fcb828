import { CliError } from '../../base/errors.ts';
import { maskKey } from '../../base/redact.ts';
import { type CallerInputs, type Caller, resolve, type Source, sources } from './resolve.ts';

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
  return source === 'newcomer' ? 'it is used only on a terminal, before the first profile is added' : 'not set';
}

function shown(caller: Caller): Omit<Candidate, 'source' | 'wins' | 'why'> {
  if (caller.kind === 'local') return { profile: 'local', address: 'the sandbox on this machine', mode: caller.mode };
  return { profile: caller.profile, address: caller.baseUrl, mode: caller.mode, key: maskKey(caller.key) };
}
