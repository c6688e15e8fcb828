import { group } from '../cli/command.ts';
import { activity } from './activity.ts';
import { api } from './api.ts';
import { listCampaigns } from './campaigns/list.ts';
import { createContact } from './contacts/create.ts';
import { exportContacts } from './contacts/export.ts';
import { importContacts } from './contacts/import.ts';
import { installCompletion } from './completion/install.ts';
import { printForBash, printForFish, printForZsh } from './completion/print.ts';
import { uninstallCompletion } from './completion/uninstall.ts';
import { listContacts } from './contacts/list.ts';
import { doctor } from './doctor.ts';
import { helpCommand } from './help.ts';
import { listKeys } from './keys/list.ts';
import { removeKey } from './keys/remove.ts';
import { setKey } from './keys/set.ts';
import { switchMode } from './keys/switch-mode.ts';
import { login } from './login.ts';
import { addProfile } from './profiles/add.ts';
import { listProfiles } from './profiles/list.ts';
import { removeProfile } from './profiles/remove.ts';
import { setProfile } from './profiles/set.ts';
import { showProfile } from './profiles/show.ts';
import { useProfile } from './profiles/use.ts';
import { sandboxAudit } from './sandbox/audit.ts';
import { sandboxChoices } from './sandbox/choices.ts';
import { clockAdvance } from './sandbox/clock/advance.ts';
import { clockFreeze, clockNow, clockReal } from './sandbox/clock/now.ts';
import { sandboxDeliveries } from './sandbox/deliveries.ts';
import { sandboxEnv } from './sandbox/env.ts';
import { execInSandbox } from './sandbox/exec.ts';
import { exportSandbox } from './sandbox/export.ts';
import { addFault } from './sandbox/fault/add.ts';
import { clearFaults } from './sandbox/fault/clear.ts';
import { listFaults } from './sandbox/fault/list.ts';
import { createSandboxKey } from './sandbox/keys/create.ts';
import { goLive } from './sandbox/keys/go-live.ts';
import { listSandboxKeys } from './sandbox/keys/list.ts';
import { revokeSandboxKey } from './sandbox/keys/revoke.ts';
import { setPlan } from './sandbox/plan/set.ts';
import { redeliver } from './sandbox/redeliver.ts';
import { sandboxRequests } from './sandbox/requests.ts';
import { resetSandbox } from './sandbox/reset.ts';
import { seedSandbox } from './sandbox/seed.ts';
import { startSandbox } from './sandbox/start.ts';
import { sandboxStatus } from './sandbox/status.ts';
import { stopSandbox } from './sandbox/stop.ts';
import { triggerEvent } from './sandbox/trigger.ts';
import { addWebhook } from './sandbox/webhooks/add.ts';
import { listWebhooks } from './sandbox/webhooks/list.ts';
import { removeWebhook } from './sandbox/webhooks/remove.ts';
import { rotateSecret } from './sandbox/webhooks/rotate.ts';
import { forgetRun } from './runs/forget.ts';
import { listRuns } from './runs/list.ts';
import { showRun } from './runs/show.ts';
import { sendBatch } from './send-batch.ts';
import { sendTemplate } from './send-template.ts';
import { listTemplates } from './templates/list.ts';
import { expectEvent } from './webhooks/expect.ts';
import { webhooksHistory } from './webhooks/history.ts';
import { listenForEvents } from './webhooks/listen.ts';
import { replayEvents } from './webhooks/replay.ts';
import { showEvent } from './webhooks/show.ts';
import { signBody } from './webhooks/sign.ts';
import { verifyEvent } from './webhooks/verify.ts';
import { whoami } from './whoami.ts';

/** The whole surface. */
export const tree = group('bizmsg', 'the command line of the Business Messaging Public API', [
  sendTemplate,
  sendBatch,
  group('contacts', 'List, create, import and export contacts', [
    listContacts,
    createContact,
    importContacts,
    exportContacts,
  ]),
  group('runs', 'See the runs on this machine: imports and batches', [listRuns, showRun, forgetRun]),
  group('templates', 'List templates', [listTemplates]),
  group('campaigns', 'List campaigns', [listCampaigns]),
  group('keys', 'Store keys and choose between them', [setKey, listKeys, removeKey, switchMode]),
  group('profiles', 'Keep addresses, plans and keys under names of your choice', [
    addProfile,
    showProfile,
    setProfile,
    listProfiles,
    useProfile,
    removeProfile,
  ]),
  login,
  whoami,
  group('sandbox', 'Run the whole service on this machine, for tests and practice', [
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
  ]),
  group('webhooks', 'Receive events on this machine, look at them, check and replay them', [
    listenForEvents,
    webhooksHistory,
    showEvent,
    expectEvent,
    verifyEvent,
    signBody,
    replayEvents,
  ]),
  activity,
  api,
  doctor,
  group('completion', 'Have the shell complete commands, options and names', [
    printForBash,
    printForZsh,
    printForFish,
    installCompletion,
    uninstallCompletion,
  ]),
  helpCommand,
]);
