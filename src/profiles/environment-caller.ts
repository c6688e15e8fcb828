import type { Mode } from '../contract/keys.ts';
import { modeOf } from '../contract/keys.ts';
import { configuration, unsafe } from '../errors.ts';
import { baseUrl } from './base-url.ts';
import type { Asked, ServiceCaller } from './caller.ts';
import { environmentMode, variable } from './environment.ts';
import { readKey } from './key.ts';

/** Who the environment's key and address say is calling; undefined where neither is set. */
export function environmentCaller({ flags, env }: Asked): ServiceCaller | undefined {
  const { BIZMSG_API_KEY: text, BIZMSG_BASE_URL: url } = env;
  if (text === undefined && url === undefined) return undefined;
  if (text === undefined)
    throw configuration('address-without-key', 'BIZMSG_BASE_URL is set, BIZMSG_API_KEY is not', 'set both or neither');
  const key = variable('BIZMSG_API_KEY', text, readKey);
  return {
    kind: 'service',
    baseUrl: flags.baseUrl === undefined ? environmentAddress(url) : baseUrl(flags.baseUrl),
    key,
    mode: allowedMode(key, flags.mode ?? environmentMode(env)),
    source: 'BIZMSG_API_KEY',
  };
}

function environmentAddress(url: string | undefined): string {
  if (url !== undefined) return variable('BIZMSG_BASE_URL', url, baseUrl);
  throw configuration(
    'key-without-address',
    'BIZMSG_API_KEY is set, but no address that it may go to',
    'set BIZMSG_BASE_URL too, or give --base-url',
  );
}

/** There is one key here, so a mode can only be demanded of it, not chosen. */
function allowedMode(key: string, wanted: Mode | undefined): Mode | 'unknown' {
  const stated = modeOf(key);
  if (wanted === undefined || wanted === (stated ?? 'live')) return stated ?? wanted ?? 'unknown';
  const kind = stated ? `a ${stated} key` : 'of unknown mode, and taken for live';
  throw unsafe(
    'wrong-mode',
    `the key of BIZMSG_API_KEY is ${kind}, and mode ${wanted} was asked for`,
    `put a ${wanted} key there, or name a profile that has one with --profile`,
  );
}
