import { statSync } from 'node:fs';
import { unsafe } from '../../base/errors.ts';
import { exposedBy, exposureOf, isPrivate } from '../../base/files.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { isLoopback, requireEncryption } from '../../client/address.ts';
import { isLocalKey } from '../../contract/keys.ts';
import { originOf } from './fields.ts';
import type { Locator } from '../../sandbox/remote/locator.ts';
import type { Target } from './resolve.ts';
import { storeFile } from './store.ts';

export interface TargetConditions {
  /** Whether the address is a sandbox on this machine. */
  readonly simulated: boolean;
  /** Whether only sandboxes on this machine may be called. */
  readonly onlyLocal: boolean;
  /** Whether Node skips certificate checks, so that any server may answer. */
  readonly unverified: boolean;
  /** The sandboxes that run on this machine. */
  readonly running?: () => readonly RunningSandbox[];
}

type RunningSandbox = Pick<Locator, 'url' | 'keys'>;

/** Throws if this key must not go to this address. */
export function refuseUnsafeTarget(
  target: Target,
  { simulated, onlyLocal, unverified, running = () => [] }: TargetConditions,
): void {
  if (onlyLocal && !simulated) refuseOther(target);
  if (isLocalKey(target.key) && !simulated) refuseElsewhere(target, running());
  if (simulated && !isLocalKey(target.key) && target.mode !== 'sandbox') refuseInSandbox(target);
  requireEncryption(target.baseUrl);
  if (unverified && target.mode !== 'sandbox' && target.baseUrl.startsWith('https:')) refuseUnverified(target);
}

const sameFolder = 'if one runs, use its key, which sandbox env prints';

function refuseOther({ baseUrl }: Target): never {
  throw unsafe(
    'only-local',
    `BIZMSG_LOCAL_ONLY=1 refuses ${originOf(baseUrl)}, which is not a sandbox that this command knows`,
    `${sameFolder}; to use that address, unset BIZMSG_LOCAL_ONLY`,
  );
}

function refuseElsewhere({ baseUrl, key }: Target, running: readonly RunningSandbox[]): never {
  const hint = isLoopback(new URL(baseUrl).hostname)
    ? whereItRuns(key, running)
    : 'use a key that was made in the account settings of that service';
  throw unsafe('local-key-elsewhere', `this key belongs to a local sandbox, and ${originOf(baseUrl)} is not one`, hint);
}

function whereItRuns(key: string, running: readonly RunningSandbox[]): string {
  const maker = running.find(({ keys }) => keys.sandbox === key || keys.live === key);
  if (maker) return `the sandbox that made it runs at ${maker.url}`;
  if (running.length === 0) return 'no sandbox runs there: start one with bizmsg sandbox start';
  return `a sandbox runs at ${running.map(({ url }) => url).join(', ')}`;
}

function refuseInSandbox({ baseUrl, mode }: Target): never {
  const kind = mode === 'live' ? 'a live key' : 'a key of unknown mode, which counts as live,';
  throw unsafe(
    'live-key-to-sandbox',
    `refusing to send ${kind} to ${originOf(baseUrl)}, a local sandbox`,
    'use --profile local, which has its own keys',
  );
}

function refuseUnverified({ baseUrl, mode }: Target): never {
  const kind = mode === 'live' ? 'a live key' : 'a key of unknown mode, which counts as live,';
  throw unsafe(
    'unverified-tls',
    `refusing to send ${kind} to ${originOf(baseUrl)} while NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off`,
    'unset NODE_TLS_REJECT_UNAUTHORIZED; to trust a private authority, use --ca-file FILE',
  );
}

/** Throws if other users can change the store of a live key or its address; returns a warning if they can read it. */
export function checkStore(folder: string): string | undefined {
  const exposure = exposureOf(folder) ?? exposureOf(storeFile(folder));
  if (!exposure) return readableStore(folder);
  throw unsafe(
    'store-exposed',
    `the live key is not used: ${exposedBy(exposure)}`,
    exposure.owner === undefined
      ? `check the addresses in bizmsg profiles list, then run chmod go-w ${shellQuote(exposure.path)}`
      : 'set BIZMSG_CONFIG_DIR to a folder of your own, and add the profile there',
  );
}

function readableStore(folder: string): string | undefined {
  const file = storeFile(folder);
  const [outside, inside] = [statSync(folder).mode, statSync(file).mode];
  if (isPrivate(inside)) return undefined;
  const isGroups = (outside & 0o010) !== 0 && (inside & 0o040) !== 0;
  const isEverybodys = (outside & 0o001) !== 0 && (inside & 0o004) !== 0;
  if (!isGroups && !isEverybodys) return undefined;
  return `other users can read the live key in ${file}; chmod 600 ${shellQuote(file)} stops that`;
}
