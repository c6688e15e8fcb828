import { group } from '../../cli/tree.ts';
import { sandboxAudit } from './audit.ts';
import { sandboxChoices } from './choices.ts';
import { clockAdvance } from './clock/advance.ts';
import { clockFreeze, clockNow, clockReal } from './clock/now.ts';
import { sandboxDeliveries } from './deliveries.ts';
import { sandboxEnv } from './env.ts';
import { execInSandbox } from './exec.ts';
import { exportSandbox } from './export.ts';
import { addFault } from './fault/add.ts';
import { clearFaults } from './fault/clear.ts';
import { listFaults } from './fault/list.ts';
import { createSandboxKey } from './keys/create.ts';
import { goLive } from './keys/go-live.ts';
import { listSandboxKeys } from './keys/list.ts';
import { revokeSandboxKey } from './keys/revoke.ts';
import { setPlan } from './plan/set.ts';
import { redeliver } from './redeliver.ts';
import { sandboxRequests } from './requests.ts';
import { resetSandbox } from './reset.ts';
import { seedSandbox } from './seed.ts';
import { startSandbox } from './start.ts';
import { sandboxStatus } from './status.ts';
import { stopSandbox } from './stop.ts';
import { triggerEvent } from './trigger.ts';
import { addWebhook } from './webhooks/add.ts';
import { listWebhooks } from './webhooks/list.ts';
import { removeWebhook } from './webhooks/remove.ts';
import { rotateSecret } from './webhooks/rotate.ts';

export const sandboxCommands = [
  startSandbox,
  stopSandbox,
  sandboxStatus,
  sandboxEnv,
  execInSandbox,
  group('keys', 'Create, list and revoke keys of the sandbox', [
    createSandboxKey,
    listSandboxKeys,
    revokeSandboxKey,
    goLive,
  ]),
  group('plan', 'Change the plan of the sandbox', [setPlan]),
  group('clock', 'Stop and move the clock of the sandbox', [clockNow, clockFreeze, clockAdvance, clockReal]),
  group('fault', 'Have the sandbox go wrong, to see what your code does then', [addFault, listFaults, clearFaults]),
  group('webhooks', 'Choose the URLs that the events of the sandbox go to', [
    addWebhook,
    listWebhooks,
    removeWebhook,
    rotateSecret,
  ]),
  sandboxDeliveries,
  redeliver,
  triggerEvent,
  resetSandbox,
  seedSandbox,
  exportSandbox,
  sandboxRequests,
  sandboxAudit,
  sandboxChoices,
];
