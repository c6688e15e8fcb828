import type { Mode } from '../contract/keys.ts';
import { modeOf } from '../contract/keys.ts';
import type { PlanName } from '../contract/plans.ts';
import { plans } from '../contract/plans.ts';
import type { Reader } from '../contract/readers.ts';
import { isRecord, Mismatch, string } from '../contract/readers.ts';
import { CliError } from '../errors.ts';
import { accountFault } from './account-name.ts';
import { baseUrl } from './base-url.ts';
import { keyFault, secretFault } from './key.ts';
import type { Profile, Store } from './store.ts';

/** The store in what its file holds. No Mismatch repeats a value, since it may be a key. */
export function storeShape(value: unknown, at = ''): Store {
  const { version, current, profiles } = record(value, at);
  if (version !== 1) throw new Mismatch(`${at}/version`, 'must be 1');
  const entries = Object.entries(record(profiles, `${at}/profiles`));
  return {
    version,
    current: optional(string)(current, `${at}/current`),
    profiles: Object.fromEntries(entries.map(([name, entry]) => [name, profile(entry, `${at}/profiles/${name}`)])),
  };
}

function profile(value: unknown, at: string): Profile {
  const fields = record(value, at);
  const keys = record(fields.keys, `${at}/keys`);
  return {
    baseUrl: address(fields.baseUrl, `${at}/baseUrl`),
    plan: optional(plan)(fields.plan, `${at}/plan`),
    rate: optional(rate)(fields.rate, `${at}/rate`),
    mode: mode(fields.mode, `${at}/mode`),
    keys: {
      sandbox: optional(keyOf('sandbox'))(keys.sandbox, `${at}/keys/sandbox`),
      live: optional(keyOf('live'))(keys.live, `${at}/keys/live`),
    },
    webhookSecret: optional(secret)(fields.webhookSecret, `${at}/webhookSecret`),
    account: optional(account)(fields.account, `${at}/account`),
  };
}

function record(value: unknown, at: string): Record<string, unknown> {
  if (!isRecord(value)) throw new Mismatch(at || 'it', 'must be an object');
  return value;
}

function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, at) => (value === undefined ? undefined : reader(value, at));
}

function address(value: unknown, at = ''): string {
  const text = string(value, at);
  try {
    return baseUrl(text);
  } catch (error) {
    if (error instanceof CliError) throw new Mismatch(at, 'must be a base URL');
    throw error;
  }
}

function plan(value: unknown, at = ''): PlanName {
  if (isPlan(value)) return value;
  throw new Mismatch(at, `must be one of ${Object.keys(plans).join(', ')}`);
}

function isPlan(value: unknown): value is PlanName {
  return typeof value === 'string' && Object.hasOwn(plans, value);
}

function rate(value: unknown, at = ''): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new Mismatch(at, 'must be a number of requests a minute');
}

function mode(value: unknown, at = ''): Mode {
  if (value === 'sandbox' || value === 'live') return value;
  throw new Mismatch(at, 'must be sandbox or live');
}

/** A key in the other kind's place would be sent under the wrong mode. */
function keyOf(slot: Mode): Reader<string> {
  return (value, at = '') => {
    const key = string(value, at);
    const fault = keyFault(key);
    if (fault) throw new Mismatch(at, fault);
    if ((modeOf(key) ?? slot) !== slot) throw new Mismatch(at, `holds a ${modeOf(key)} key`);
    return key;
  };
}

function secret(value: unknown, at = ''): string {
  const text = string(value, at);
  const fault = secretFault(text);
  if (fault) throw new Mismatch(at, fault);
  return text;
}

function account(value: unknown, at = ''): string {
  const text = string(value, at);
  const fault = accountFault(text);
  if (fault) throw new Mismatch(at, fault);
  return text;
}
