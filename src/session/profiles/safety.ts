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
  readonly running: () => Promise<readonly Pick<Locator, 'url' | 'keys'>[]>;
}

/** Throws if this key must not go to this address. */
export async function refuseUnsafeTarget(target: Target, { env, simulated, running }: TargetConditions): Promise<void> {
  const { key, baseUrl, mode } = target;
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
    throw unsafe('local-key-elsewhere', message, whereItRuns(target, await running()));
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

function whereItRuns({ baseUrl, key }: Target, running: Awaited<ReturnType<TargetConditions['running']>>): string {
  if (!isLoopback(new URL(baseUrl).hostname)) return 'use a key that was made in the account settings of that service';
  const maker = running.find(({ keys }) => keys.sandbox === key || keys.live === key);
  if (maker) return `the sandbox that made it runs at ${maker.url}`;
  if (running.length === 0) return 'no sandbox runs there: start one with bizmsg sandbox start';
  return `a sandbox runs at ${running.map(({ url }) => url).join(', ')}`;
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
