import { statSync } from 'node:fs';
import { unsafe } from '../../base/errors.ts';
import { exposedBy, exposureOf, isPrivate } from '../../base/files.ts';
import type { Env } from '../../base/host.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { isLoopback, requireEncryption } from '../../client/address.ts';
import { isLocalKey } from '../../contract/keys.ts';
import type { Locator } from '../../sandbox/remote/locator.ts';
import { onlyLocal, type Target } from '../caller.ts';
import { originOf } from './fields.ts';
import { storeFile } from './store.ts';

interface TargetConditions {
  readonly env: Env;
  /** Whether the address is a sandbox on this machine. */
  readonly simulated: boolean;
  /** The sandboxes that run on this machine. */
  readonly running: () => readonly Pick<Locator, 'url' | 'keys'>[];
}

/** Throws if this key must not go to this address. */
export function refuseUnsafeTarget(target: Target, { env, simulated, running }: TargetConditions): void {
  const isLive = target.mode !== 'sandbox';
  if (onlyLocal(env) && !simulated) refuseOther(target);
  if (isLocalKey(target.key) && !simulated) refuseElsewhere(target, running());
  if (simulated && !isLocalKey(target.key) && isLive) refuseInSandbox(target);
  requireEncryption(target.baseUrl);
  const isUnverified = env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0' && target.baseUrl.startsWith('https:');
  if (isUnverified && isLive) refuseUnverified(target);
}

const sameFolder = 'if one runs, use its key, which sandbox env prints';

function refuseOther({ baseUrl }: Target): never {
  throw unsafe(
    'only-local',
    `BIZMSG_LOCAL_ONLY=1 refuses ${originOf(baseUrl)}, which is not a sandbox that this command knows`,
    `${sameFolder}; to use that address, unset BIZMSG_LOCAL_ONLY`,
  );
}

function refuseElsewhere({ baseUrl, key }: Target, running: ReturnType<TargetConditions['running']>): never {
  const hint = isLoopback(new URL(baseUrl).hostname)
    ? whereItRuns(key, running)
    : 'use a key that was made in the account settings of that service';
  throw unsafe('local-key-elsewhere', `this key belongs to a local sandbox, and ${originOf(baseUrl)} is not one`, hint);
}

function whereItRuns(key: string, running: ReturnType<TargetConditions['running']>): string {
  const maker = running.find(({ keys }) => keys.sandbox === key || keys.live === key);
  if (maker) return `the sandbox that made it runs at ${maker.url}`;
  if (running.length === 0) return 'no sandbox runs there: start one with bizmsg sandbox start';
  return `a sandbox runs at ${running.map(({ url }) => url).join(', ')}`;
}

function refuseInSandbox(target: Target): never {
  throw unsafe(
    'live-key-to-sandbox',
    `refusing to send ${kindOf(target)} to ${originOf(target.baseUrl)}, a local sandbox`,
    'use --profile local, which has its own keys',
  );
}

function refuseUnverified(target: Target): never {
  throw unsafe(
    'unverified-tls',
    `refusing to send ${kindOf(target)} to ${originOf(target.baseUrl)} while NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off`,
    'unset NODE_TLS_REJECT_UNAUTHORIZED; to trust a private authority, use --ca-file FILE',
  );
}

function kindOf({ mode }: Target): string {
  return mode === 'live' ? 'a live key' : 'a key of unknown mode, which counts as live,';
}

/** Throws if other users can change the store of a live key or its address; returns a warning if they can read it. */
export function checkStore(folder: string): string | undefined {
  const file = storeFile(folder);
  const exposure = exposureOf(folder) ?? exposureOf(file);
  if (!exposure) {
    if (isPrivate(statSync(folder).mode) || isPrivate(statSync(file).mode)) return undefined;
    return `other users can read the live key in ${file}; chmod 600 ${shellQuote(file)} stops that`;
  }
  throw unsafe(
    'store-exposed',
    `the live key is not used: ${exposedBy(exposure)}`,
    exposure.owner === undefined
      ? `check the addresses in bizmsg profiles list, then run chmod go-w ${shellQuote(exposure.path)}`
      : 'set BIZMSG_CONFIG_DIR to a folder of your own, and add the profile there',
  );
}
