import { type CliError, configuration, forOption, unsafe, usage } from '../../base/errors.ts';
import type { Env, Host } from '../../base/host.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { type Mode, modeOf } from '../../contract/keys.ts';
import type { PlanName } from '../../contract/plans.ts';
import { baseUrl, originOf, readKey } from './fields.ts';
import {
  checkEnvironment,
  configFolder,
  environmentMode,
  isInsideExec,
  isInteractive,
  variable,
} from './environment.ts';
import {
  type FoundStore,
  listed,
  local,
  type Profile,
  type ProfileSettings,
  readStore,
  requireProfile,
  settingsOf,
  type Store,
} from './store.ts';

interface CommandLine {
  readonly host: Host;
  readonly given: CallerFlags & { readonly noInput: boolean };
}

/** The caller of this command line; throws without one. */
export function currentCaller(commandLine: CommandLine): Caller {
  return resolve(callerInputs(commandLine));
}

/** The options, variables and store that decide who is calling. */
export function callerInputs({ host, given }: CommandLine): CallerInputs {
  let store: FoundStore | undefined;
  return {
    flags: given,
    env: host.env,
    get terminal() {
      return isInteractive(host, given);
    },
    loadStore: () => (store ??= readStore(configFolder(host.env, host.home))),
  };
}

/** Finds the caller: the first source that is set decides, or fails. */
export function resolve(inputs: CallerInputs): Caller {
  const { flags, env, loadStore } = inputs;
  checkEnvironment(env);
  return (
    named(inputs, flags.profile, '--profile') ??
    byEnvironment(inputs) ??
    named(inputs, env.BIZMSG_PROFILE, 'BIZMSG_PROFILE') ??
    named(inputs, loadStore().current, 'profile in use') ??
    newcomer(inputs) ??
    fail(loadStore())
  );
}

function fail(store: Store): never {
  throw noProfile(store);
}

function named(inputs: CallerInputs, name: string | undefined, source: Source): Caller | undefined {
  if (name === undefined) return undefined;
  return name === local ? localCaller(inputs, source) : storedCaller(inputs, name, source);
}

function localCaller(inputs: CallerInputs, source: Source): Caller | undefined {
  const { flags, env } = inputs;
  if (flags.baseUrl !== undefined)
    throw usage(
      `--base-url cannot be combined with the profile ${local}`,
      'the sandbox on this machine has its own address',
    );
  return { kind: 'local', mode: flags.mode ?? environmentMode(env) ?? 'sandbox', source, newcomer: false };
}

function byEnvironment(inputs: CallerInputs): ServiceCaller | undefined {
  const { BIZMSG_API_KEY: key, BIZMSG_PROFILE: profile } = inputs.env;
  const isConflict = key !== undefined && profile !== undefined && !(profile === local && isInsideExec(inputs.env));
  if (!isConflict) return environmentCaller(inputs);
  throw configuration(
    'two-callers',
    'BIZMSG_API_KEY and BIZMSG_PROFILE are both set',
    'unset one of them, or decide with --profile',
  );
}

export const newcomerNote = 'no profile yet, so this is the sandbox on this machine; bizmsg login adds a profile';

function newcomer({ flags, env, terminal, loadStore }: CallerInputs): LocalCaller | undefined {
  const isLive = (flags.mode ?? environmentMode(env)) === 'live';
  if (!terminal || isLive || flags.baseUrl !== undefined || loadStore().exists) return undefined;
  return { kind: 'local', mode: 'sandbox', source: 'newcomer', newcomer: true };
}

export function noProfile({ profiles }: Store, mayBeLocal = true): CliError {
  const [name, ...others] = Object.keys(profiles);
  const add = 'add one with bizmsg login';
  const use = name === undefined ? add : `bizmsg profiles use ${shellQuote(name)} makes it the one in use`;
  const choose = `choose one of ${listed(Object.keys(profiles))} with bizmsg profiles use or --profile`;
  const orLocal = mayBeLocal ? `, or use --profile ${local}, the sandbox on this machine` : '';
  const hint = `${others.length > 0 ? choose : use}${orLocal}`;
  return configuration('no-profile', 'no profile is in use', hint);
}

/** The caller with the key and the address in the environment; undefined if neither is set. */
function environmentCaller({ flags, env }: CallerInputs): ServiceCaller | undefined {
  const { BIZMSG_API_KEY: text, BIZMSG_BASE_URL: url } = env;
  if (text === undefined && url === undefined) return undefined;
  if (text === undefined)
    throw configuration('address-without-key', 'BIZMSG_BASE_URL is set, BIZMSG_API_KEY is not', 'set both or neither');
  const key = variable('BIZMSG_API_KEY', text, readKey);
  return {
    kind: 'service',
    baseUrl: flags.baseUrl === undefined ? environmentAddress(url) : addressIn(flags.baseUrl),
    key,
    mode: allowedMode(key, flags.mode ?? environmentMode(env)),
    source: 'BIZMSG_API_KEY',
  };
}

function environmentAddress(url: string | undefined): string {
  if (url !== undefined) return variable('BIZMSG_BASE_URL', url, baseUrl);
  throw configuration(
    'key-without-address',
    'BIZMSG_API_KEY is set, but its address is not',
    'set BIZMSG_BASE_URL too, or give --base-url',
  );
}

/** Checks the mode of the only key; there is no other to choose. */
function allowedMode(key: string, wanted: Mode | undefined): Mode | 'unknown' {
  const stated = modeOf(key);
  if (wanted === undefined || wanted === (stated ?? 'live')) return stated ?? wanted ?? 'unknown';
  const kind = stated ? `a ${stated} key` : 'of unknown mode, which counts as live';
  throw unsafe(
    'wrong-mode',
    `the key of BIZMSG_API_KEY is ${kind}, not ${wanted}`,
    `put a ${wanted} key there, or name a profile that has one with --profile`,
  );
}

/** The caller of a stored profile. */
function storedCaller({ flags, env, loadStore }: CallerInputs, name: string, source: Source): ServiceCaller {
  const profile = requireProfile(loadStore(), name);
  const mode = flags.mode ?? environmentMode(env) ?? profile.mode;
  const key = profile.keys[mode];
  if (key === undefined) throw missingKey(name, profile, mode);
  const { plan, rate, account } = profile;
  const address = flags.baseUrl === undefined ? profile.baseUrl : sameService(name, profile, flags.baseUrl);
  const settings = { plan, rate, account, ...settingsOf((setting) => profile[setting]) };
  return { kind: 'service', baseUrl: address, key, mode, source, profile: name, ...settings };
}

export function missingKey(name: string, { keys, mode: used }: Profile, mode: Mode): CliError {
  const profile = shellQuote(name);
  const isInactive = mode === used && mode === 'sandbox' && keys.live !== undefined;
  const store = `store one with bizmsg keys set --profile ${profile}`;
  const activate = `; its live key becomes active with bizmsg keys switch-mode live --profile ${profile}`;
  return configuration('no-key', `the profile "${name}" has no ${mode} key`, isInactive ? store + activate : store);
}

function addressIn(flag: string): string {
  return forOption('--base-url', () => baseUrl(flag));
}

/** A stored key goes only to the origin stored with it; localhost, 127.0.0.1 and [::1] may be different servers. */
function sameService(name: string, profile: Profile, typed: string): string {
  const address = addressIn(typed);
  if (originOf(address) === originOf(profile.baseUrl)) return address;
  throw unsafe(
    'foreign-origin',
    `the keys of profile "${name}" are only sent to ${originOf(profile.baseUrl)}, not to ${originOf(address)}`,
    'add a profile for the other address, or give its key with BIZMSG_API_KEY',
  );
}

/** Where the caller comes from. */
export type Source = '--profile' | 'BIZMSG_API_KEY' | 'BIZMSG_PROFILE' | 'profile in use' | 'newcomer';

/** The sandbox on this machine, with its own keys. */
export interface LocalCaller {
  readonly kind: 'local';
  readonly mode: Mode;
  readonly source: Source;
  /** Whether it is the default on a machine that never had a profile. */
  readonly newcomer: boolean;
}

/** A key and its address. */
export interface Target {
  readonly profile?: string | undefined;
  readonly kind: 'service';
  readonly baseUrl: string;
  readonly key: string;
  /** Unknown counts as live. */
  readonly mode: Mode | 'unknown';
  readonly plan?: PlanName | undefined;
  readonly rate?: number | undefined;
}

export interface ServiceCaller extends Target, ProfileSettings {
  readonly source: Source;
  /** The id of the profile's account, if the store has one. */
  readonly account?: string | undefined;
}

export type Caller = LocalCaller | ServiceCaller;

/** The global options that decide who is calling. */
export interface CallerFlags {
  readonly profile?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly baseUrl?: string | undefined;
}

/** The inputs that decide who is calling. */
export interface CallerInputs {
  readonly flags: CallerFlags;
  readonly env: Env;
  readonly terminal: boolean;
  /** Called only if flags and environment do not suffice. */
  readonly loadStore: () => FoundStore;
}
