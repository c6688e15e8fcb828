import { CliError, configuration } from '../base/errors.ts';
import type { Host, Later } from '../base/host.ts';
import { sayingOnce } from '../base/journal-lines.ts';
import { type Caller, resolve } from '../session/profiles/resolve.ts';
import type { Locator } from '../sandbox/remote/locator.ts';
import { type EventSource, hooked, listened, signedOnly, simulated } from '../webhooks/watch/watch.ts';
import { liveListeners } from '../webhooks/listeners.ts';
import { asked } from '../session/current-caller.ts';
import type { Globals } from './globals.ts';
import type { Sandboxes } from '../session/sandboxes.ts';
import { storedSecret } from '../session/signing-secret.ts';

export interface Watch extends EventSource {
  readonly later: Later;
  /** Who tells of the events. */
  readonly from: 'sandbox' | 'listener';
}

/** Whether events are wanted as they are delivered, with all their bytes. */
export type Wanted = 'told' | 'delivered';

export interface WatchOptions {
  readonly host: Host;
  readonly given: Globals;
  readonly sandboxes: Sandboxes;
  readonly note: (code: string, message: string) => void;
}

/** The events of whoever is called: told by a sandbox on this machine itself, else those that come to a listener. */
export async function openWatch(options: WatchOptions, wanted: Wanted): Promise<Watch> {
  const { host, sandboxes, note } = options;
  const { now, later } = host;
  const sandbox = await sandboxOf(await callerOf(options), sandboxes);
  if (sandbox) return { ...(await inSandbox(sandbox, options, wanted)), later, from: 'sandbox' };
  if (liveListeners(sandboxes.stateFolder, host.kill).length === 0) throw unheard();
  const onDamage = sayingOnce((text) => note('journal-damaged', text));
  const heard = listened(sandboxes.stateFolder, { now, later, onDamage });
  const secret = knownSecret(options);
  if (secret === undefined) return { ...heard, later, from: 'listener' };
  // A listener that was started for a local sandbox receives what that one signs.
  const secrets = [secret, ...(await secretsOf(sandboxes))];
  const source = signedOnly(heard, { secrets, ...proving(options) });
  return { ...source, later, from: 'listener' };
}

async function secretsOf(sandboxes: Sandboxes): Promise<readonly string[]> {
  const secretOf = async (locator: Locator) => (await (await sandboxes.remote(locator)).env()).secret;
  const asked = await Promise.allSettled(sandboxes.live().map(secretOf));
  return asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

function proving({ host: { now }, note }: WatchOptions) {
  return { now, warn: (text: string) => note('signature', text) };
}

/** Without one, every event that a listener receives counts. */
function knownSecret({ host, given }: WatchOptions): string | undefined {
  try {
    return storedSecret(host, given);
  } catch (error) {
    if (error instanceof CliError && error.code === 'no-secret') return undefined;
    throw error;
  }
}

/** A listener hears events whoever calls. */
async function callerOf({ host, given }: WatchOptions): Promise<Caller | undefined> {
  try {
    return resolve(await asked(host, given));
  } catch (error) {
    if (error instanceof CliError && error.code === 'no-profile') return undefined;
    throw error;
  }
}

async function sandboxOf(caller: Caller | undefined, sandboxes: Sandboxes): Promise<Locator | undefined> {
  if (caller?.kind === 'local') return sandboxes.ensure();
  return caller && sandboxes.at(caller.baseUrl);
}

async function inSandbox(sandbox: Locator, options: WatchOptions, wanted: Wanted) {
  const { host, sandboxes, note } = options;
  const remote = await sandboxes.remote(sandbox);
  const clock = await remote.clock();
  if (clock.frozen) note('frozen', stillness);
  const { now, pid } = host;
  if (wanted === 'told') return simulated(remote, { clock, now });
  const { secret } = await remote.env();
  const source = await hooked(remote, { pid, now, warn: (text) => note('webhook', text) });
  return signedOnly(source, { secrets: [secret], ...proving(options) });
}

const stillness =
  'the clock of the sandbox stands still, and nothing comes before it goes on: bizmsg sandbox clock advance, or clock real';

function unheard(): CliError {
  const hint =
    'open bizmsg webhooks listen in another terminal, where the service sends its events; --profile local needs none';
  return configuration('no-events', 'no listener runs on this machine, so no event would be heard', hint);
}
