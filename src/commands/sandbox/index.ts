import { group } from '../../cli/command.ts';
import { sandboxRequests } from './requests.ts';
import { clockAdvance, clockFreeze, clockNow, clockReal } from './clock.ts';
import { redeliver, sandboxDeliveries } from './deliveries.ts';
import { openPage, sandboxEnv, sandboxStatus, stopSandbox } from './status.ts';
import { execInSandbox } from './exec.ts';
import { resetSandbox, seedSandbox } from './contents.ts';
import { addFault, clearFaults, listFaults } from './fault.ts';
import { createSandboxKey, goLive, listSandboxKeys, revokeSandboxKey } from './keys.ts';
import { sandboxMessages } from './messages.ts';
import { setPlan, showPlan } from './plan.ts';
import { startSandbox } from './start.ts';
import { triggerEvent } from './trigger.ts';
import { addWebhook, listWebhooks, removeWebhook, rotateSecret } from './endpoints.ts';

export const sandboxCommands = [
  startSandbox,
  stopSandbox,
  sandboxStatus,
  openPage,
  sandboxEnv,
  execInSandbox,
  group('keys', 'Create, list and revoke the keys that the sandbox accepts', [
    createSandboxKey,
    listSandboxKeys,
    revokeSandboxKey,
    goLive,
  ]),
  group('plan', 'Show and change the plan of the sandbox', [setPlan, showPlan]),
  group('clock', 'Freeze and advance the sandbox clock', [clockNow, clockFreeze, clockAdvance, clockReal]),
  group('fault', 'Inject faults', [addFault, listFaults, clearFaults]),
  group('endpoints', 'Register URLs that receive the events of the sandbox, and show the deliveries', [
    addWebhook,
    listWebhooks,
    removeWebhook,
    sandboxDeliveries,
    redeliver,
    rotateSecret,
  ]),
  sandboxMessages,
  triggerEvent,
  resetSandbox,
  seedSandbox,
  sandboxRequests,
];
