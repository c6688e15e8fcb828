import { CliError, configuration, forOption, unsafe, usage } from '../base/errors.ts';
import type { Env, Host } from '../base/host.ts';
import { type Mode, modeOf } from '../contract/keys.ts';
import { configFolder } from './folders.ts';
import { accountName, baseUrl, local, originOf, readKey } from './profiles/fields.ts';
import { listed, noStore, type Profile, readStore, requireKey, requireProfile, type Store } from './profiles/store.ts';

/** A key and its address. */
export interface Target {
  readonly kind: 'service';
  readonly profile?: string | undefined;
  readonly baseUrl: string;
  readonly key: string;
  /** Unknown counts as live. */
  readonly mode: Mode | 'unknown';
  readonly plan?: Profile['plan'];
  readonly rate?: Profile['rate'];
}

/** A target, with the settings of its profile if it has one. */
export interface ServiceCaller extends Target, Partial<Omit<Profile, 'baseUrl' | 'mode' | 'keys' | 'webhookSecret'>> {
  readonly source: Source;
}

/** The sandbox on this machine, with its own keys. */
export interface LocalCaller {
  readonly kind: 'local';
  readonly mode: Mode;
  readonly source: Source;
}

export type Caller = LocalCaller | ServiceCaller;

/** The options that decide who is calling. */
export interface CallerFlags {
  readonly profile?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly baseUrl?: string | undefined;
}

type Terminal = Pick<Host, 'stderr' | 'stdinIsTerminal'>;

export interface CommandLine {
  readonly host: Pick<Host, 'env' | 'home'> & Partial<Terminal>;
  readonly given: CallerFlags & { readonly noInput: boolean };
}

export type Source = '--profile' | 'BIZMSG_API_KEY' | 'BIZMSG_PROFILE' | 'profile in use' | 'newcomer';

/** The first source that is set decides, or fails. */
export function currentCaller(line: CommandLine): Caller {
  const { host, given } = line;
  const caller =
    named(line, given.profile, '--profile') ??
    keyCaller(line) ??
    named(line, host.env.BIZMSG_PROFILE, 'BIZMSG_PROFILE') ??
    named(line, storeOf(line).current, 'profile in use') ??
    newcomer(line);
  if (!caller) throw noProfile(storeOf(line));
  return caller;
}

/** Undefined if no profile is in use. */
export function optionalCaller(line: CommandLine): Caller | undefined {
  try {
    return currentCaller(line);
  } catch (error) {
    if (error instanceof CliError && error.code === 'no-profile') return undefined;
    throw error;
  }
}

function storeOf({ host }: Pick<CommandLine, 'host'>): Store {
  return readStore(configFolder(host));
}

function wantedMode({ given, host }: CommandLine): Mode | undefined {
  return given.mode ?? environmentMode(host.env);
}

function named(line: CommandLine, name: string | undefined, source: Source): Caller | undefined {
  if (name === undefined) return undefined;
  return name === local ? localCaller(line, source) : storedCaller(line, name, source);
}

function localCaller(line: CommandLine, source: Source): Caller {
  if (line.given.baseUrl === undefined) return { kind: 'local', mode: wantedMode(line) ?? 'sandbox', source };
  const hint = 'the sandbox on this machine has its own address';
  throw usage(`--base-url cannot be combined with the profile ${local}`, hint);
}

function storedCaller(line: CommandLine, name: string, source: Source): Caller {
  const { keys, webhookSecret: _, ...profile } = requireProfile(storeOf(line), name);
  const mode = wantedMode(line) ?? profile.mode;
  const key = requireKey(name, { keys, mode: profile.mode }, mode);
  const address = sameService(name, profile, line.given.baseUrl);
  return { ...profile, kind: 'service', source, profile: name, baseUrl: address, key, mode };
}

/** A stored key goes only to the origin stored with it; localhost, 127.0.0.1 and [::1] may be different servers. */
function sameService(name: string, profile: Pick<Profile, 'baseUrl'>, typed: string | undefined): string {
  const address = typed === undefined ? profile.baseUrl : forOption('--base-url', () => baseUrl(typed));
  if (originOf(address) === originOf(profile.baseUrl)) return address;
  throw unsafe(
    'foreign-origin',
    `the keys of profile "${name}" are only sent to ${originOf(profile.baseUrl)}, not to ${originOf(address)}`,
    'add a profile for the other address, or give its key with BIZMSG_API_KEY',
  );
}

/** The key and the address in the environment. */
function keyCaller(line: CommandLine): Caller | undefined {
  const { BIZMSG_API_KEY: text, BIZMSG_BASE_URL: url, BIZMSG_PROFILE: profile } = line.host.env;
  if (text === undefined && url === undefined) return undefined;
  if (text === undefined)
    throw configuration('address-without-key', 'BIZMSG_BASE_URL is set, BIZMSG_API_KEY is not', 'set both or neither');
  if (profile !== undefined)
    throw configuration('two-callers', 'BIZMSG_API_KEY and BIZMSG_PROFILE are both set', 'unset one of them');
  const key = variable('BIZMSG_API_KEY', text, readKey);
  const address = keyAddress(line.given.baseUrl, url);
  const mode = allowedMode(key, wantedMode(line));
  return { kind: 'service', baseUrl: address, key, mode, source: 'BIZMSG_API_KEY' };
}

function keyAddress(typed: string | undefined, url: string | undefined): string {
  if (typed !== undefined) return forOption('--base-url', () => baseUrl(typed));
  if (url !== undefined) return variable('BIZMSG_BASE_URL', url, baseUrl);
  const hint = 'set BIZMSG_BASE_URL too, or give --base-url';
  throw configuration('key-without-address', 'BIZMSG_API_KEY is set, but its address is not', hint);
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

export const newcomerNote = 'no profile yet, so this is the sandbox on this machine; bizmsg login adds a profile';

/** On a machine that never had a profile, a person practices with the sandbox. A script must name it. */
function newcomer(line: CommandLine): Caller | undefined {
  const isElsewhere = wantedMode(line) === 'live' || line.given.baseUrl !== undefined;
  if (isElsewhere || storeOf(line) !== noStore || !isInteractive(line.host, line.given)) return undefined;
  return { kind: 'local', mode: 'sandbox', source: 'newcomer' };
}

function noProfile({ profiles }: Store): CliError {
  const names = Object.keys(profiles);
  const choose = `bizmsg profiles set NAME --default chooses one of ${listed(names)}`;
  const first = names.length > 0 ? choose : 'add one with bizmsg login';
  const hint = `${first}, or use --profile ${local}, the sandbox on this machine`;
  return configuration('no-profile', 'no profile is in use', hint);
}

/** The stored profile that a command changes. */
export function chosenProfile({ host, given }: CommandLine, argument?: string): string {
  const store = storeOf({ host });
  const name = argument ?? given.profile ?? host.env.BIZMSG_PROFILE ?? store.current;
  if (name === undefined) throw noProfile(store);
  requireProfile(store, name);
  return name;
}

/** Refuses invalid variables that concern every caller. */
export function checkEnvironment(env: Env): void {
  for (const [name, value] of Object.entries(env)) {
    // CI sets an empty variable for a missing secret.
    if (name.startsWith('BIZMSG_') && value?.trim() === '')
      throw configuration('empty-variable', `${name} is set but empty`, 'unset it or give it a value');
  }
  environmentMode(env);
  onlyLocal(env);
  environmentAccount(env);
}

function environmentMode({ BIZMSG_MODE: mode }: Env): Mode | undefined {
  if (mode === undefined || mode === 'sandbox' || mode === 'live') return mode;
  throw configuration('bad-variable', `BIZMSG_MODE is "${mode}"`, 'use sandbox or live');
}

/** The name of the account. */
function environmentAccount({ BIZMSG_ACCOUNT: text }: Env): string | undefined {
  return text === undefined ? undefined : variable('BIZMSG_ACCOUNT', text, accountName);
}

/** Whether only sandboxes on this machine may be called. */
export function onlyLocal({ BIZMSG_LOCAL_ONLY: only }: Env): boolean {
  if (only === undefined || only === '1') return only === '1';
  throw configuration('bad-variable', `BIZMSG_LOCAL_ONLY is "${only}"`, 'the only value is 1');
}

/** Whether the key in the environment belongs to the sandbox of `sandbox exec`. */
export function isInsideExec(env: Env): boolean {
  return onlyLocal(env) && env['BIZMSG_API_KEY'] !== undefined;
}

/** Whether the user can be prompted. `stdinIsTerminal` comes last because it loads node:tty. */
export function isInteractive(
  host: Pick<Host, 'env'> & Partial<Terminal>,
  { noInput }: { readonly noInput: boolean },
): boolean {
  return !noInput && !host.env['CI'] && host.stderr?.isTTY === true && host.stdinIsTerminal === true;
}

/** Reads a variable; errors name it. */
export function variable<T>(name: string, text: string, read: (text: string) => T): T {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof CliError) throw configuration('bad-variable', `${name}: ${error.message}`, error.hint, error);
    throw error;
  }
}

interface Reached {
  readonly caller: Caller | Target;
  readonly target: Pick<Target, 'baseUrl'>;
  /** The sandbox on this machine, if it is one. */
  readonly running: { readonly dataId: string } | undefined;
}

/** Whose messages these are. Another key, and another profile of the account, must know who got one. */
export function accountOf(env: Env, { caller, target, running }: Reached): string {
  if (running) return `sandbox:${running.dataId}`;
  return realAccount(env, { ...caller, baseUrl: target.baseUrl });
}

/** The account of a profile: its name, or its address. */
export function realAccount(
  env: Env,
  { account, baseUrl }: { readonly account?: string | undefined; readonly baseUrl: string },
): string {
  return account ?? environmentAccount(env) ?? canonicalAddress(baseUrl);
}

/** One spelling of each address: two of them must not look like two accounts. */
export function canonicalAddress(baseUrl: string): string {
  const url = new URL(baseUrl);
  const name = url.hostname.replace(/\.+$/, '');
  url.hostname = loopback.has(name) ? 'localhost' : name;
  return url.origin;
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
