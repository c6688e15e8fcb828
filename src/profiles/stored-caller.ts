import type { Mode } from '../contract/keys.ts';
import type { CliError } from '../errors.ts';
import { configuration, unsafe } from '../errors.ts';
import { baseUrl, originOf } from './base-url.ts';
import type { Asked, ServiceCaller, Source } from './caller.ts';
import { environmentMode } from './environment.ts';
import { shellWord } from './names.ts';
import type { Profile } from './store.ts';
import { requireProfile } from './store.ts';

/** Who a stored profile says is calling. */
export function storedCaller({ flags, env, loadStore }: Asked, name: string, source: Source): ServiceCaller {
  const profile = requireProfile(loadStore(), name);
  const mode = flags.mode ?? environmentMode(env) ?? profile.mode;
  const key = profile.keys[mode];
  if (key === undefined) throw missingKey(name, profile, mode);
  const { plan, rate, webhookSecret, account } = profile;
  const address = flags.baseUrl === undefined ? profile.baseUrl : sameService(name, profile, flags.baseUrl);
  return { kind: 'service', baseUrl: address, key, mode, source, profile: name, plan, rate, webhookSecret, account };
}

export function missingKey(name: string, { keys, mode: used }: Profile, mode: Mode): CliError {
  const profile = shellWord(name);
  const isInactive = mode === used && mode === 'sandbox' && keys.live !== undefined;
  const store = `store one with bizmsg keys set --profile ${profile}`;
  const activate = `; its live key is not active before bizmsg keys switch-mode live --profile ${profile}`;
  return configuration('no-key', `the profile "${name}" has no ${mode} key`, isInactive ? store + activate : store);
}

/** A stored key goes only to the origin stored with it; localhost, 127.0.0.1 and [::1] may be different servers. */
function sameService(name: string, profile: Profile, typed: string): string {
  const address = baseUrl(typed);
  if (originOf(address) === originOf(profile.baseUrl)) return address;
  throw unsafe(
    'foreign-origin',
    `the keys of profile "${name}" go to ${originOf(profile.baseUrl)} alone, not to ${originOf(address)}`,
    'add a profile for the other address, or give its key with BIZMSG_API_KEY',
  );
}
