import { keyPrefixes, localMark, type Mode, type Scope } from '../../contract/keys.ts';
import type { Keys } from '../interface.ts';
import type { KeyStatus } from '../rows.ts';
import type { Change, Key, PlanSetting } from './records.ts';
import { type Ids, newDataId, newKey, newSecret } from './ids.ts';
import type { Clock } from '../time/clock.ts';
import { seeds } from '../contents/sample-data.ts';
import type { State } from './state.ts';

interface Context {
  readonly state: State;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly commit: (changes: readonly Change[]) => void;
}

export function createKeys(context: Context): Keys {
  const { state, clock, commit } = context;
  const initial = (mode: Mode) =>
    (state.keys.list.find((key) => key.mode === mode) ?? createKey(context, 'full', mode)).text;
  return {
    sandbox: initial('sandbox'),
    live: initial('live'),
    list: () => state.keys.list.map((key) => ({ ...key, state: stateOf(key, state) })),
    create: (scope, mode = 'sandbox') => createKey(context, scope, mode),
    revoke(name) {
      const key = state.keys.list.find(({ id, text }) => id === name || text === name);
      if (key) commit([{ type: 'revoke', key: key.id, at: clock.now() }]);
      return key !== undefined;
    },
    goLive: () => commit([{ type: 'go-live', at: clock.now() }]),
  };
}

/** Returns the changes that set up a new sandbox. */
export function initialChanges(seed: string, plan: PlanSetting): readonly Change[] {
  return [
    { type: 'seed', seed, dataId: newDataId() },
    { type: 'secret', secret: newSecret() },
    { type: 'plan', plan },
    ...seeds,
  ];
}

function createKey({ state, ids, clock, commit }: Context, scope: Scope, mode: Mode): Key {
  const serial = state.serial + 1;
  const text = newKey(keyPrefixes[mode] + localMark);
  const key: Key = { id: ids.id('key', serial), text, mode, scope, createdAt: clock.now() };
  commit([{ type: 'key', key }]);
  return key;
}

function stateOf(key: Key, state: State): KeyStatus['state'] {
  if (state.revoked.has(key.id)) return 'revoked';
  return key.mode === 'live' && !state.live ? 'inactive' : 'active';
}
