import type { AnyCaller, CheckedTarget, Connection, Session, TryLookup } from './session.ts';
import type { ClientOptions } from '../client/client.ts';
import type { ClientPace, Pace } from '../client/pace.ts';
import type { TransportOptions } from '../client/transport.ts';
import type { Transport, WireAnswer } from '../client/wire.ts';
import { CliError, configuration, unsafe } from '../base/errors.ts';
import type { Env } from '../base/host.ts';
import { readRegular, requireOwn, whyUnreadable } from '../base/files.ts';
import { configFolder } from './folders.ts';
import { storeFile } from './profiles/store.ts';
import { newcomerNote, onlyLocal, type Target } from './caller.ts';
import { originOf } from './profiles/fields.ts';
import { maskKey } from '../base/redact.ts';
import { isLoopback, requireEncryption } from '../client/address.ts';
import { isLocalKey, type Mode } from '../contract/keys.ts';
import { plans } from '../contract/plans.ts';

/** Opens a client for one caller, at the shared pace of single requests. */
export async function connect(session: Session, caller: AnyCaller): Promise<Connection> {
  const checkedTarget = await prepareTarget(session, caller);
  const rate = session.given.dryRun ? undefined : planRate(checkedTarget);
  const pace = rate === undefined ? undefined : (await import('./pace.ts')).singlePace(session, checkedTarget, rate);
  return openConnection(session, checkedTarget, { pace });
}

/** The requests a minute of the profile's plan, or of the sandbox. */
function planRate({ caller, running }: CheckedTarget): number | undefined {
  const { rate, plan } = caller.kind === 'service' ? caller : {};
  return rate ?? (plan && plans[plan].perMinute) ?? running?.minute?.limit;
}

/** Milliseconds that a lookup may delay what follows. */
export const lookupTimeout = 3_000;

async function lookUp(
  session: Session,
  checkedTarget: CheckedTarget,
  { pace, stop = session.host.signal, onTime }: ConnectionOptions,
  look: Parameters<TryLookup>[0],
): Promise<void> {
  // A dry run does not start a sandbox.
  if (checkedTarget.caller.kind === 'local' && !checkedTarget.running) return;
  const late = new AbortController();
  const cancel = session.host.later(lookupTimeout, () => late.abort());
  const signal = AbortSignal.any([stop, late.signal]);
  const once = { ...session, given: { ...session.given, retries: 0, dryRun: false } };
  // Its 429 does not slow down other requests.
  const borrowed = pace && { slot: pace.slot.bind(pace), hold() {} };
  const { client, close } = await openConnection(once, checkedTarget, { pace: borrowed, signal, onTime });
  try {
    await look(client);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
  } finally {
    cancel();
    await close();
  }
}

/**
 * Finds out where this caller's requests go: starts the sandbox of this machine if it is that one, refuses a key that
 * must not go there, and announces a live key.
 */
export async function prepareTarget(session: Session, caller: AnyCaller): Promise<CheckedTarget> {
  const { host } = session;
  const located = await locate(session, caller);
  // Other users could change the address.
  if (isStoredLive(caller)) for (const path of [configFolder(host), storeFile(configFolder(host))]) requireOwn(path);
  if (located.isDeserted)
    throw configuration(
      'no-sandbox',
      `no sandbox runs at ${originOf(located.target.baseUrl)}`,
      'start one: bizmsg sandbox start',
    );
  if (caller.kind !== 'local') refuseUnsafeTarget(caller, host.env, located.simulated);
  announce(session, located);
  return located;
}

/** Throws if this key must not go to this address. `simulated`: it is a sandbox on this machine. */
function refuseUnsafeTarget({ key, baseUrl, mode }: Target, env: Env, simulated: boolean): void {
  const origin = originOf(baseUrl);
  const isLive = mode !== 'sandbox';
  const kind = mode === 'live' ? 'a live key' : 'a key of unknown mode, which counts as live,';
  if (onlyLocal(env) && !simulated)
    throw unsafe(
      'only-local',
      `BIZMSG_LOCAL_ONLY=1 refuses ${origin}, which is not a sandbox that this command knows`,
      'if one runs, use its key, which sandbox env prints; to use that address, unset BIZMSG_LOCAL_ONLY',
    );
  if (isLocalKey(key) && !simulated) {
    const message = `this key belongs to a local sandbox, and ${origin} is not one`;
    const hint = 'use --profile local, or a key that was made in the account settings of that service';
    throw unsafe('local-key-elsewhere', message, hint);
  }
  if (simulated && !isLocalKey(key) && isLive) {
    const message = `refusing to send ${kind} to ${origin}, a local sandbox`;
    throw unsafe('live-key-to-sandbox', message, 'use --profile local, which has its own keys');
  }
  requireEncryption(baseUrl);
  if (isLive && env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0' && baseUrl.startsWith('https:'))
    throw unsafe(
      'unverified-tls',
      `refusing to send ${kind} to ${origin} while NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off`,
      'unset NODE_TLS_REJECT_UNAUTHORIZED; to trust a private authority, use --ca-file FILE',
    );
}

/** Finds out where a caller's requests would go, without checks: for what is on this machine. */
export async function locate(session: Session, caller: AnyCaller): Promise<CheckedTarget> {
  const { given, reporter, interaction } = session;
  const sandboxes = await session.sandboxes();
  // A dry run starts nothing.
  const start = () => (given.dryRun ? sandboxes.find() : sandboxes.ensure());
  const running = await (caller.kind === 'local'
    ? interaction.spin('Starting the sandbox', start())
    : sandboxes.at(caller.baseUrl));
  const target = caller.kind === 'local' ? localTarget(caller.mode, running) : caller;
  reporter.hide(target.key);
  const answerer = caller.kind === 'local' || running ? 'sandbox' : await answererOf(target);
  return { caller, target, simulated: answerer === 'sandbox', isDeserted: answerer === 'nothing', running };
}

/** Shown by a dry run for a sandbox that does not run. */
const notRunning = {
  url: 'http://127.0.0.1:4780',
  keys: { sandbox: 'sk_test_local-none', live: 'sk_live_local-none' },
};

function localTarget(mode: Mode, running: CheckedTarget['running']): Target {
  const { url, keys } = running ?? notRunning;
  return { kind: 'service', baseUrl: url, key: keys[mode], mode };
}

/** What answers the key of a sandbox on this machine: it may be a sandbox that no file here names. */
async function answererOf({ key, baseUrl }: Target) {
  if (!isLocalKey(key) || !isLoopback(new URL(baseUrl).hostname)) return undefined;
  return (await import('../sandbox/remote/running.ts')).answererAt(baseUrl);
}

/** Whether a key counts as live and comes from the profile store. */
function isStoredLive(caller: AnyCaller): boolean {
  const isStored = caller.kind === 'service' && 'source' in caller && caller.source !== 'BIZMSG_API_KEY';
  return isStored && caller.mode !== 'sandbox';
}

/** Options that differ for batches. Single calls show a spinner. */
interface ConnectionOptions extends Partial<Pick<ClientOptions, 'isBatch' | 'onWait' | 'signal'>> {
  /** Closed with the connection, if it can be. */
  readonly pace?: (ClientPace & Partial<Pick<Pace, 'close'>>) | undefined;
  /** Requests in flight (default: 1). */
  readonly connections?: number;
  /** The milliseconds for which nothing may be sent; lookups need not wait for that. */
  readonly closedFor?: (() => number) | undefined;
  /** Ends lookups. */
  readonly stop?: AbortSignal;
  /** Called with the time of the service in each answer. */
  readonly onTime?: ((time: number) => void) | undefined;
}

export async function openConnection(
  session: Session,
  checkedTarget: CheckedTarget,
  options: ConnectionOptions,
): Promise<Connection> {
  const { connections, onTime, stop: _, closedFor, pace, ...extras } = options;
  const { host, given, note, reporter } = session;
  const { target, simulated } = checkedTarget;
  // Commands without a call do not load them.
  const [{ createClient }, { openTransport }, { header }, { createSendOnce }] = await Promise.all([
    import('../client/client.ts'),
    import('../client/transport.ts'),
    import('../client/wire.ts'),
    import('./send-once.ts'),
  ]);
  const opened = openTransport({ ...transportOptionsFor(session, target), connections });
  const transport = onTime
    ? timed(opened, (answer) => onTime(Date.parse(header(answer.headers, 'date') ?? '')))
    : opened;
  const client = createClient({
    baseUrl: target.baseUrl,
    key: target.key,
    userAgent: `bizmsg/${__VERSION__}`,
    signal: host.signal,
    now: host.now,
    random: host.random,
    async sleep(milliseconds: number, signal: AbortSignal) {
      const { setTimeout } = await import('node:timers/promises');
      await setTimeout(milliseconds, undefined, { signal });
    },
    trace: given.debug ? reporter.trace : undefined,
    transport: connections !== undefined ? transport : withSpinner(session, target, transport),
    timeout: given.timeout,
    retries: given.retries,
    dryRun: given.dryRun,
    local: simulated,
    onWait: (milliseconds, why) => {
      const when = milliseconds < 50 ? 'now' : `in ${(milliseconds / 1000).toFixed(1)} s`;
      note('waiting', `${why}; trying again ${when}`);
    },
    pace: pace && closedFor ? (await import('./pace.ts')).pausedPace(pace, closedFor, host.later) : pace,
    ...extras,
  });
  return {
    client,
    sendOnce: createSendOnce(session, checkedTarget),
    tryLookup: (look) => lookUp(session, checkedTarget, options, look),
    simulated,
    mode: target.mode,
    async close() {
      await Promise.all([transport.close(), pace?.close?.()]);
    },
  };
}

function timed(transport: Transport, see: (answer: WireAnswer) => void): Transport {
  return {
    ...transport,
    async send(request, limits) {
      const answer = await transport.send(request, limits);
      see(answer);
      return answer;
    },
  };
}

/** The transport options for a target. */
export function transportOptionsFor({ host, given }: Session, { baseUrl }: Target): TransportOptions {
  return { baseUrl, env: host.env, ca: given.caFile === undefined ? undefined : certificates(given.caFile) };
}

function withSpinner({ interaction }: Session, { baseUrl }: Target, transport: Transport): Transport {
  const waiting = `Waiting for ${new URL(baseUrl).host}`;
  return { ...transport, send: (request, limits) => interaction.spin(waiting, transport.send(request, limits)) };
}

/** Prints that a key is live, with --quiet too, and that there is no profile yet. */
function announce({ announced, reporter, note }: Session, { caller, target, simulated }: CheckedTarget): void {
  const name = target.profile ?? (simulated ? 'local' : 'environment');
  const text = `${name} · ${new URL(target.baseUrl).host} · ${maskKey(target.key)}`;
  if (announced.has(text)) return;
  announced.add(text);
  if ('source' in caller && caller.source === 'newcomer') note('newcomer', newcomerNote);
  if (target.mode !== 'sandbox') reporter.note('live', `LIVE ${text}`);
}

function certificates(file: string): string {
  try {
    return readRegular(file).toString();
  } catch (error) {
    const reason = whyUnreadable(error);
    throw configuration('ca-file', `--ca-file ${file} cannot be read${reason ? `: ${reason}` : ''}`, undefined, error);
  }
}
