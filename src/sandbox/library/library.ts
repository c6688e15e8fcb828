import { createSandbox as createService } from '../sandbox.ts';
import { checkGiven, oneOf, plainly } from './argument-checks.ts';
import { clockOf } from './clock.ts';
import { exchangeOf } from './exchanges.ts';
import { faultsOf } from './faults.ts';
import type { Sandbox, SandboxOptions } from './types.ts';
import { keysOf } from './keys.ts';
import { seenIn } from './seen.ts';
import { createServers } from './servers.ts';
import { planOf, settingsOf } from './settings.ts';
import { triggered } from './trigger.ts';
import { webhooksOf } from './webhooks.ts';

export type * from './types.ts';
export type * from './types.ts';
export type * from './types.ts';
export type * from './types.ts';
export type * from './types.ts';

const resettable = { what: oneOf(['messages', 'contacts', 'logs', 'all']) } as const;

/** A sandbox in this process, for tests of your own code. Any number of them may live side by side. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const service = plainly('createSandbox', () => createService(settingsOf(options)));
  const servers = createServers(service);
  let closed = false;
  const checkOpen = () => {
    if (closed) throw new Error('this sandbox is closed');
  };
  const settled = async () => {
    checkOpen();
    await service.settled();
  };
  const close = async () => {
    closed = true;
    service.close();
    await servers.close();
  };
  return {
    async answer(request) {
      checkOpen();
      return service.answer(exchangeOf(request));
    },
    async listen(given) {
      checkOpen();
      return servers.listen(given);
    },
    keys: keysOf(service),
    secret: () => service.secret(),
    webhooks: webhooksOf(service),
    trigger: (event, fields) => triggered(service, event, fields),
    settled,
    faults: faultsOf(service),
    clock: clockOf(service.time, settled),
    setPlan: (plan, limits = {}) => service.setPlan(planOf(plan, limits)),
    load: (contents) => void plainly('load', () => service.seed(contents)),
    reset(what = 'all') {
      checkGiven('reset', { what }, resettable);
      service.reset(what);
    },
    ...seenIn(service),
    close,
    [Symbol.asyncDispose]: close,
  };
}
