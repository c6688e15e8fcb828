import { sandboxClock } from './clock.ts';
import { resetSandbox, seedSandbox } from './contents.ts';
import { openPage, sandboxEnv } from './env.ts';
import { execInSandbox } from './exec.ts';
import { sandboxFault } from './fault.ts';
import { sandboxLog } from './log.ts';
import { sandboxSet } from './set.ts';
import { sandboxStatus, startSandbox, stopSandbox } from './start.ts';
import { triggerEvent } from './trigger.ts';

export const sandboxCommands = [
  startSandbox,
  stopSandbox,
  execInSandbox,
  sandboxEnv,
  sandboxStatus,
  sandboxLog,
  openPage,
  triggerEvent,
  sandboxClock,
  sandboxFault,
  sandboxSet,
  seedSandbox,
  resetSandbox,
];
