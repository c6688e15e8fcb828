import { CliError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { maskKey } from '../base/redact.ts';
import type { Candidate } from './profiles/explain.ts';
import type { CallerInputs, Caller, Source } from './profiles/resolve.ts';
import type { Sandboxes } from './sandboxes.ts';
import type { CallOptions, Session } from './session.ts';

/** The caller of this command line; throws without one. */
export async function currentCaller({ host, given }: Session): Promise<Caller> {
  const [{ resolve }, inputs] = await Promise.all([import('./profiles/resolve.ts'), callerInputs(host, given)]);
  return resolve(inputs);
}

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

export async function describeCaller({ host, given, sandboxes }: Session): Promise<CallerReport> {
  const { explain } = await import('./profiles/explain.ts');
  const { caller, problem, candidates } = explain(await callerInputs(host, given));
  return { winner: caller && winnerOf(caller, await sandboxes()), problem, candidates };
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

/** The options, variables and store that decide who is calling. */
export async function callerInputs(host: Host, given: CallOptions): Promise<CallerInputs> {
  const [{ configFolder, isInteractive }, { readStore }] = await Promise.all([
    import('./profiles/environment.ts'),
    import('./profiles/store.ts'),
  ]);
  const folder = configFolder(host.env, host.home);
  let store: ReturnType<typeof readStore> | undefined;
  return {
    flags: { profile: given.profile, mode: given.mode, baseUrl: given.baseUrl },
    env: host.env,
    get terminal() {
      return isInteractive(host, given);
    },
    loadStore: () => (store ??= readStore(folder)),
  };
}

/** The keys, webhook secrets and teams of the environment and of all stored profiles. They are never printed. */
export async function knownKeys({ host, given }: Session): Promise<readonly string[]> {
  const { BIZMSG_API_KEY, BIZMSG_WEBHOOK_SECRET, BIZMSG_TEAM } = host.env;
  const profiles = profilesIn(await callerInputs(host, given));
  const stored = profiles.flatMap(({ keys, webhookSecret }) => [keys.sandbox, keys.live, webhookSecret]);
  const teams = [BIZMSG_TEAM, ...profiles.map(({ team }) => team)].filter((team) => team !== undefined);
  const parts = teams.length === 0 ? [] : teams.flatMap((await import('./team.ts')).secretsOf);
  return [BIZMSG_API_KEY, BIZMSG_WEBHOOK_SECRET, ...stored, ...parts].flatMap((text) => {
    const key = text?.trim() ?? '';
    return key.length < shortestKnownKey ? [] : [key];
  });
}

/** Shorter texts may be part of a word by chance. */
const shortestKnownKey = 8;

/** Empty if the store is damaged, since this command may not need a profile. */
function profilesIn({ loadStore }: CallerInputs) {
  try {
    return Object.values(loadStore().profiles);
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}
