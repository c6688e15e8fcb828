import type { CliError } from '../errors.ts';
import { configuration, usage } from '../errors.ts';
import type { Asked, Caller, LocalCaller, ServiceCaller, Source } from './caller.ts';
import { checkEnvironment, environmentMode, onlyLocal } from './environment.ts';
import { environmentCaller } from './environment-caller.ts';
import { listed, local } from './names.ts';
import type { Store } from './store.ts';
import { storedCaller } from './stored-caller.ts';

/** Who is calling: the first source that says anything decides, or fails. */
export function resolve(asked: Asked): Caller {
  checkEnvironment(asked.env);
  for (const { offer } of sources(asked)) {
    const caller = offer();
    if (caller) return caller;
  }
  throw nobody(asked.loadStore());
}

export interface Offering {
  readonly source: Source;
  /** The caller that this source would make; undefined where it says nothing. */
  readonly offer: () => Caller | undefined;
}

/** What may say who is calling, the first to be heard first. */
export function sources(asked: Asked): readonly Offering[] {
  const { flags, env } = asked;
  return [
    { source: '--profile', offer: () => named(asked, flags.profile, '--profile') },
    { source: 'BIZMSG_API_KEY', offer: () => byEnvironment(asked) },
    { source: 'BIZMSG_PROFILE', offer: () => named(asked, env.BIZMSG_PROFILE, 'BIZMSG_PROFILE') },
    { source: 'profile in use', offer: () => named(asked, asked.loadStore().current, 'profile in use') },
    { source: 'newcomer', offer: () => newcomer(asked) },
  ];
}

function named(asked: Asked, name: string | undefined, source: Source): Caller | undefined {
  if (name === undefined) return undefined;
  return name === local ? localCaller(asked, source) : storedCaller(asked, name, source);
}

function localCaller(asked: Asked, source: Source): Caller | undefined {
  const { flags, env } = asked;
  if (flags.baseUrl !== undefined)
    throw usage(
      `--base-url does not go with the profile ${local}`,
      'the sandbox on this machine has an address of its own',
    );
  return { kind: 'local', mode: flags.mode ?? environmentMode(env) ?? 'sandbox', source, newcomer: false };
}

function byEnvironment(asked: Asked): ServiceCaller | undefined {
  const { BIZMSG_API_KEY: key, BIZMSG_PROFILE: profile } = asked.env;
  const isConflict = key !== undefined && profile !== undefined && !(profile === local && isInsideExec(asked));
  if (!isConflict) return environmentCaller(asked);
  throw configuration(
    'two-callers',
    'BIZMSG_API_KEY and BIZMSG_PROFILE are both set',
    'unset one of them, or decide with --profile',
  );
}

/** Whether the environment's key is that of the one sandbox that may be called. */
function isInsideExec({ env }: Asked): boolean {
  return onlyLocal(env) && env.BIZMSG_API_KEY !== undefined;
}

function newcomer({ flags, env, terminal, loadStore }: Asked): LocalCaller | undefined {
  const isLive = (flags.mode ?? environmentMode(env)) === 'live';
  if (!terminal || isLive || flags.baseUrl !== undefined || loadStore().exists) return undefined;
  return { kind: 'local', mode: 'sandbox', source: 'newcomer', newcomer: true };
}

function nobody({ profiles }: Store): CliError {
  const names = Object.keys(profiles);
  const known = names.length > 0 ? `choose one of ${listed(names)} with --profile` : 'add one with bizmsg login';
  const hint = `${known}, or use --profile ${local}, the sandbox on this machine`;
  return configuration('no-profile', 'no profile says who is calling', hint);
}
