import { keyPrefixes, localMark, type Mode, type Scope } from '../../contract/keys.ts';
import type { KeyStatus } from '../rows.ts';
import type { Change, Key, PlanSetting } from './records.ts';
import { newDataId, newKey, newSecret } from './ids.ts';
import { seeds } from '../contents/sample-data.ts';
import type { Core, State } from './state.ts';

export function createKeys(core: Core) {
  const { state, commit } = core.store;
  const initial = (mode: Mode) =>
    (state.keys.list.find((key) => key.mode === mode) ?? createKey(core, 'full', mode)).text;
  return {
    /** The two initial keys of every sandbox. */
    sandbox: initial('sandbox'),
    live: initial('live'),
    list: (): readonly KeyStatus[] => state.keys.list.map((key) => ({ ...key, state: stateOf(key, state) })),
    create: (scope: Scope, mode: Mode = 'sandbox') => createKey(core, scope, mode),
    /** Takes a key or its id; returns false if it is unknown. */
    revoke(name: string): boolean {
      const key = state.keys.list.find(({ id, text }) => id === name || text === name);
      if (key) commit([{ type: 'revoke', key: key.id }]);
      return key !== undefined;
    },
    /** §3: makes live keys valid. No key changes its prefix. */
    goLive: () => commit([{ type: 'go-live' }]),
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

function createKey({ store: { state, commit }, ids, clock }: Core, scope: Scope, mode: Mode): Key {
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
