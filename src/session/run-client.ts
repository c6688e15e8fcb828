import { CliError, type ExitName, usage } from '../base/errors.ts';
import { maskKey } from '../base/redact.ts';
import type { Client } from '../client/client.ts';
import type { Departure } from '../client/exchange.ts';
import type { KnownPace, RunRate } from '../client/pace/pace.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import type { Mode } from '../contract/keys.ts';
import type { Plan } from '../contract/plans.ts';
import { recordRun, type RunStarted } from './activity-recorder.ts';
import { approach, type Connection, type ManyCalls, openConnection, wayTo } from './connect.ts';
import { type OpenedLedger, openLedger } from './ledger.ts';
import { planOf, runPace } from './pace.ts';
import type { Caller } from './profiles/resolve.ts';
import type { Approached, Session } from './session.ts';

/** What the flags of a run say of its requests. */
export interface RunOptions {
  /** How many are under way at once, each over a connection of its own; 16 if not given. */
  readonly concurrency?: number | undefined;
  /** 90 % of the plan's minute if not given, and no limit where the plan is not known. */
  readonly rate?: RunRate | undefined;
  /** Those of the process if not given. */
  readonly signals?: RunSignals | undefined;
}

export type { OpenedLedger } from './ledger.ts';

interface RunSignals {
  /** Nothing leaves any more, but what is on its way is waited for. */
  readonly stop: AbortSignal;
  /** Nothing is waited for. */
  readonly leave: AbortSignal;
}

/** The service as a run calls it: at its pace, with a 429 waited out, and with faults of the network left to the run. */
export interface RunClient extends Pick<Client, 'observe'> {
  readonly target: RunTarget;
  readonly concurrency: number;
  readonly pace: RunPace;
  /** Prepares an endpoint; the returned function sends a body, which is JSON. */
  sending(name: EndpointName): (content: string, departure: Departure) => Promise<unknown>;
  /** The ledger of what was sent, and the account in it. */
  ledger(): Promise<OpenedLedger>;
  /** Writes down for this machine that a run begins; what it resolves to writes down what came of it. */
  record(run: RunStarted): ReturnType<typeof recordRun>;
  /** Looks at something that the run can do without, in a few seconds at most; what the service refuses is not told. */
  glance(look: (client: Pick<Client, 'pages'>) => Promise<void>): Promise<void>;
  /** Whether the service can be connected to. No request is sent. */
  reachable(): Promise<boolean>;
}

/** Where a run goes, and what tells it from another one. It may be written down: the key is not in it. */
export interface RunTarget {
  /** The base URL; `local` for the sandbox that the profile `local` means, which may change its port. */
  readonly address: string;
  readonly mode: Mode | 'unknown';
  /** The key as it may be shown. */
  readonly shownKey: string;
  /** As far as it is known. */
  readonly plan: Plan;
  /** Only the sandbox on this machine hears it. */
  readonly simulated: boolean;
}

interface RunPace {
  /** Undefined where nothing is known before the service answers 429. */
  readonly known: KnownPace | undefined;
  /** The milliseconds that so many requests take at the least, by the plan too; undefined like `known`. */
  leastTime(requests: number): number | undefined;
}

interface Opened {
  readonly connection: Connection;
  readonly runClient: RunClient;
}

export async function openRunClient(session: Session, caller: Caller, options: RunOptions = {}): Promise<Opened> {
  const { host, given } = session;
  const { concurrency = 16, rate, signals = { stop: host.signal, leave: host.signal } } = options;
  if (given.noPace && rate) throw usage('--rate and --no-pace do not go together', 'leave one of them out');
  const [{ leastTime, paceOf, slower }, { canReach }] = await Promise.all([
    import('../client/pace/pace.ts'),
    import('../client/transport.ts'),
  ]);
  const approached = await approach(session, caller);
  const plan = await planOf(session, caller, approached);
  const known = given.noPace ? undefined : paceOf(rate, plan);
  const barred = new AbortController();
  const onWait = noting(session);
  const gate = await runPace(session, { caller, approached, known, onWait });
  const connection = await openConnection(session, approached, {
    connections: concurrency,
    signal: signals.leave,
    boarding: AbortSignal.any([signals.stop, barred.signal]),
    pace: gate,
    patience: twoWindows,
    onWait,
  });
  const target = targetOf(caller, approached, plan);
  const pace = { known, leastTime: (requests: number) => leastTime(slower(known, plan), requests) };
  const reachable = () => canReach(wayTo(session, approached.target), signals.stop);
  const look: RunClient['glance'] = (act) => glance(session, approached, { pace: gate, stop: signals.stop }, act);
  const sending = sendingUntil(barred, connection.client);
  const ledger = () => openLedger(session, caller, approached);
  const { observe } = connection.client;
  const record = (run: RunStarted) => recordRun(session, approached, run);
  const runClient = { target, concurrency, pace, sending, ledger, observe, record, glance: look, reachable };
  return { connection: { ...connection, close: () => closed(barred, connection) }, runClient };
}

/** Whoever still waits for a slot is called off, and does not keep the process alive. */
function closed(barred: AbortController, connection: Connection): Promise<void> {
  barred.abort();
  return connection.close();
}

/** Cancels requests waiting for a slot once one fails in a way that every other one would. */
function sendingUntil(barred: AbortController, client: Client): RunClient['sending'] {
  return (name) => {
    const send: (content: string, departure: Departure) => Promise<unknown> = client.calling(name);
    return (content, departure) =>
      send(content, departure).catch((error: unknown) => {
        if (error instanceof CliError && bars.has(error.exit)) barred.abort();
        throw error;
      });
  };
}

const bars: ReadonlySet<ExitName> = new Set(['rateLimited', 'keyRefused', 'configuration']);

/** §8 counts by the minute, whatever --rate says. */
const twoWindows = 120_000;

function targetOf(caller: Caller, { target, simulated }: Approached, plan: Plan): RunTarget {
  const address = caller.kind === 'local' ? 'local' : target.baseUrl.replace(/\/+$/, '');
  return { address, mode: target.mode, shownKey: maskKey(target.key), plan, simulated };
}

/** Milliseconds that a run may be kept from its first row. */
const longest = 3_000;

/** Looks at something that is good to know and not needed: in a moment, without a repetition, or not at all. */
async function glance(
  session: Session,
  approached: Approached,
  { pace, stop }: Pick<ManyCalls, 'pace'> & { readonly stop: AbortSignal },
  look: (client: Pick<Client, 'pages'>) => Promise<void>,
): Promise<void> {
  const late = new AbortController();
  const cancel = session.host.later(longest, () => late.abort());
  const signal = AbortSignal.any([stop, late.signal]);
  const once = { ...session, given: { ...session.given, retries: 0 } };
  const ways = { connections: 1, pace, looksOnly: true, signal, boarding: signal };
  const { client, close } = await openConnection(once, approached, ways);
  try {
    await look(client);
  } catch (error) {
    // A key may be allowed to send and not to read.
    if (!(error instanceof CliError)) throw error;
  } finally {
    cancel();
    await close();
  }
}

/** Milliseconds between two notes of one wait that is made again and again. */
const noted = 30_000;
/** Milliseconds after which a further wait is news. */
const soon = 5_000;

/** One note for all that wait for the same, and then one now and again. */
function noting({ host, given, reporter }: Session): (milliseconds: number, why: string) => void {
  let [nextAt, waitsUntil] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return (milliseconds, why) => {
    const now = host.now();
    // What begins within the wait before, or soon after its end, is that one.
    const isNew = now > waitsUntil + soon;
    waitsUntil = Math.max(waitsUntil, now + milliseconds);
    if (given.quiet || (now < nextAt && !isNew)) return;
    nextAt = now + noted;
    reporter.note('waiting', `${why}; going on in ${(milliseconds / 1000).toFixed(1)} s`);
  };
}
