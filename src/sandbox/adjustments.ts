import type { Adjustment } from './rows.ts';
import { createLog } from './state/logs.ts';
import type { Store } from './state/state.ts';
import type { AdjustableClock, ClockSetting } from './time/clock.ts';

export interface Adjustments {
  /** In order, each with the number of requests since. */
  list(): readonly { readonly adjustment: Adjustment; readonly requestsSince: number }[];
  /** Changes with every adjustment. */
  version(): number;
}

const most = 200;

/** Remembers the newest adjustments of this process. */
export function createAdjustments({ state, follow }: Store, clock: AdjustableClock): Adjustments {
  const log = createLog<{ adjustment: Adjustment; readonly requests: number }>(most);
  let version = 0;
  let setting = clock.setting();
  /** The advance that further steps belong to, until a request arrives. */
  let open: { adjustment: Adjustment } | undefined;
  follow((change) => {
    if (change.type === 'call') open = undefined;
    else if (change.type === 'clock') moved(change.clock);
    else if (change.type === 'fault') add({ kind: 'fault', fault: change.fault });
    else if (change.type === 'fault-cleared') add({ kind: 'fault-cleared', fault: change.fault });
    else if (change.type === 'reset' && (change.what === 'logs' || change.what === 'all')) clear();
  });
  return {
    version: () => version,
    list: () =>
      [...log].map(({ adjustment, requests }) => ({ adjustment, requestsSince: state.calls.cursor - requests })),
  };

  function moved(next: ClockSetting): void {
    const [before, span] = [setting, spanBetween(setting, next)];
    setting = next;
    if ('frozen' in before !== 'frozen' in next) return void add({ kind: 'frozen' in next ? 'frozen' : 'real' });
    if (span < 0) return void add({ kind: 'real' });
    if (span === 0) return;
    const to = clock.now();
    version += 1;
    if (open?.adjustment.kind === 'advanced') open.adjustment = { ...open.adjustment, to };
    else open = add({ kind: 'advanced', to }, to - span);
  }

  function add(given: DistributiveOmit<Adjustment, 'id' | 'at'>, at = clock.now()) {
    version += 1;
    const entry: { adjustment: Adjustment; requests: number } = {
      adjustment: { id: version, at, ...given },
      requests: state.calls.cursor,
    };
    log.push(entry);
    open = undefined;
    return entry;
  }

  function clear(): void {
    log.clear();
    open = undefined;
    version += 1;
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Milliseconds between two settings of the same kind. */
function spanBetween(before: ClockSetting, next: ClockSetting): number {
  if ('frozen' in before && 'frozen' in next) return next.frozen - before.frozen;
  if ('ahead' in before && 'ahead' in next) return next.ahead - before.ahead;
  return 0;
}
