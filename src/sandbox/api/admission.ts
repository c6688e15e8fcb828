import { announced, type Announced, type EndpointName, endpointNames, endpoints } from '../../contract/endpoints.ts';
import { isLocalKey, keyPrefixes, type Scope } from '../../contract/keys.ts';
import { type Plan, plans } from '../../contract/plans.ts';
import type { Key, PlanSetting } from '../state/records.ts';
import { monthOf, type State } from '../state/state.ts';
import type { ClockSetting } from '../time/clock.ts';

/** The key of a request, and the reason if it is rejected. */
export interface Caller {
  /** A known key may be invalid; its calls are recorded anyway (§5.8). */
  readonly key: Key | undefined;
  readonly refusal: string | undefined;
}

// §5.1
export function callerOf(authorization: string | undefined, state: State): Caller {
  const text = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (text === undefined) {
    return { key: undefined, refusal: 'the key is missing: send the header Authorization: Bearer <API_KEY>' };
  }
  const key = state.keys.get(text);
  const refusal = !key && hasRealLiveKey(authorization) ? realLiveKey : refusalOf(key, state);
  return { key, refusal };
}

export const realLiveKey =
  'a live key of the real service was sent to this sandbox: it was rejected and not stored; find out which program sent it';

/** §5.9: the sandbox does nothing live, so a live key of the real service must never reach it. */
export function hasRealLiveKey(authorization: string | undefined): boolean {
  if (authorization?.includes(keyPrefixes.live) !== true) return false;
  return authorization.split(/\s+/).some((word) => word.startsWith(keyPrefixes.live) && !isLocalKey(word));
}

/** The scope that an endpoint needs; `full` includes the others. §5.10 leaves this open. */
const neededScope: Readonly<Record<EndpointName, Scope>> = {
  sendTemplate: 'send-only',
  listContacts: 'read-only',
  createContact: 'full',
  listTemplates: 'read-only',
  listCampaigns: 'read-only',
};

export function isAllowed(scope: Scope, endpoint: EndpointName): boolean {
  return scope === 'full' || scope === neededScope[endpoint];
}

// §5.6
function refusalOf(key: Key | undefined, state: State): string | undefined {
  if (!key) return 'the key is invalid: this sandbox has no such key';
  if (key.revoked) return 'the key is revoked';
  if (key.mode === 'live' && !state.live) return 'the live key is not active yet: the account has not gone live';
  return undefined;
}

const minute = 60_000;

/** Rate-limit status of a request. */
export type Rate = NonNullable<ReturnType<MinuteWindow['take']>>;

export type MinuteWindow = ReturnType<typeof createMinuteWindow>;

/** A fixed window of one minute that starts with its first request, shared by all keys (§8.3 leaves this open). */
export function createMinuteWindow() {
  let opened = Number.NEGATIVE_INFINITY;
  let count = 0;
  // Setting the clock back also starts a new window.
  const isOver = (now: number) => now >= opened + minute || now < opened;
  return {
    /** The requests counted in the current minute, and when it ends; null if it has not begun. */
    used: (now: number) => (isOver(now) ? { used: 0, ends: null } : { used: count, ends: opened + minute }),
    /** Counts one request. Returns undefined if there is no limit. */
    take(now: number, limit: number | undefined) {
      if (limit === undefined) return undefined;
      if (isOver(now)) {
        opened = now;
        count = 0;
      }
      count += 1;
      // Milliseconds until the window ends.
      const reset = opened + minute - now;
      return { limit, remaining: Math.max(0, limit - count), reset, exceeded: count > limit };
    },
  };
}

/** The limits of §8, unless overridden. */
export function limitsOf(setting: PlanSetting): Plan {
  const { perMinute, perMonth } = plans[setting.name];
  return { perMinute: setting.perMinute ?? perMinute, perMonth: setting.perMonth ?? perMonth };
}

export function isMonthUsedUp(state: State, now: number): boolean {
  const { perMonth } = limitsOf(state.plan);
  return perMonth !== undefined && sentInMonth(state, now) >= perMonth;
}

function sentInMonth({ months }: State, now: number): number {
  return months[monthOf(now)] ?? 0;
}

/** How much of the limits is used. A limit of null is unlimited, and not counted. */
export function usageOf(state: State, window: MinuteWindow, now: number) {
  const { perMinute, perMonth } = limitsOf(state.plan);
  return {
    plan: state.plan,
    minute: { limit: perMinute ?? null, ...window.used(now) },
    month: { limit: perMonth ?? null, used: sentInMonth(state, now), name: monthOf(now) },
  };
}

/** The limit that clients on this machine may rely on: none while the clock is frozen, because waiting would not end the minute. */
export function rateLimitOf(plan: PlanSetting, clock: ClockSetting) {
  const limit = limitsOf(plan).perMinute;
  if (!limit || 'frozen' in clock) return undefined;
  // A move of the clock resets the count.
  return { limit, moved: Math.floor(clock.ahead / minute) };
}

/** §4: only these exact paths exist. */
export function findEndpoint(method: string, path: string): EndpointName | undefined {
  // Comparing is faster than hashing a path that was just parsed.
  return endpointNames.find((name) => endpoints[name].path === path && endpoints[name].method === method);
}

export function whyNoEndpoint(method: string, path: string): string {
  const methods = endpointNames.map((name) => endpoints[name]).filter((endpoint) => endpoint.path === path);
  if (methods.length > 0)
    return `${path} does not support ${method}, only ${methods.map(({ method }) => method).join(' and ')}`;
  const family = announcedAt(path);
  if (!family) return 'unknown path';
  return `unknown path: ${family.features.join(', ')} of ${family.family} are announced, but not available yet`;
}

/** The announced features have no documented paths, so it matches words in the path. */
function announcedAt(path: string): Announced | undefined {
  const [, words] = /^\/api\/public\/(.+)$/.exec(path.toLowerCase()) ?? [];
  const segments = words?.split('/') ?? [];
  return announced.find((entry) =>
    segments.some((segment) => segment === entry.family.toLowerCase() || entry.words.includes(segment)),
  );
}
