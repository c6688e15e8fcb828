import type { FaultStatus } from '../state/records.ts';
import type { Sandbox as Service } from '../sandbox.ts';
import { millisecondsOf, plainly } from './argument-checks.ts';
import type { Fault, SandboxFaults } from './types.ts';

export function faultsOf({ faults }: Service): SandboxFaults {
  return {
    add: (given) =>
      plainly('faults.add', () => {
        const { on, for: span } = given;
        const { id } = faults.add({
          ...given,
          on: typeof on === 'string' ? [on] : on,
          for: span === undefined ? undefined : millisecondsOf(span),
        });
        return id;
      }),
    list: () => faults.list().map(faultOf),
    clear(id) {
      const cleared = faults.clear(id);
      if (id !== undefined && cleared.length === 0) throw new Error(`faults.clear: there is no fault ${id}`);
    },
  };
}

function faultOf({ id, on, effect, after, rate, drawn, struck, active }: FaultStatus): Fault {
  return { id, on, effect, after, rate, drawn, struck, active };
}
