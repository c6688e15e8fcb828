import { unsafe } from '../../base/errors.ts';
import type { Env } from '../../base/host.ts';
import { requireEncryption } from '../../client/address.ts';
import { isLocalKey } from '../../contract/keys.ts';
import { onlyLocal, type Target } from '../caller.ts';
import { originOf } from './fields.ts';

/** Throws if this key must not go to this address. `simulated`: it is a sandbox on this machine. */
export function refuseUnsafeTarget({ key, baseUrl, mode }: Target, env: Env, simulated: boolean): void {
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
