import { lazyCommand, lazyGroup, type Tree } from '../cli/tree.ts';
import { helpCommand } from './help.ts';
import { sendTemplate } from './send-template.ts';

/** The whole surface. What is in a group is loaded when one of it is asked for. */
export const tree: Tree = {
  kind: 'tree',
  name: 'bizmsg',
  summary: 'the command line of the Business Messaging Public API',
  children: [
    sendTemplate,
    lazyCommand(
      'send-batch',
      'Send an approved template to the recipient of every row of a file',
      async () => (await import('./send-batch.ts')).sendBatch,
    ),
    lazyGroup(
      'contacts',
      'List, create, import and export contacts',
      async () => (await import('./contacts/contacts.ts')).contactsCommands,
    ),
    lazyGroup(
      'runs',
      'List, show and forget runs: imports and batches',
      async () => (await import('./runs.ts')).runsCommands,
    ),
    lazyGroup('templates', 'List templates', async () => [(await import('./lists.ts')).listTemplates]),
    lazyGroup('campaigns', 'List campaigns', async () => [(await import('./lists.ts')).listCampaigns]),
    lazyGroup('keys', 'Store keys and choose between them', async () => (await import('./keys.ts')).keysCommands),
    lazyGroup(
      'profiles',
      'Keep addresses, plans and keys under names of your choice',
      async () => (await import('./profiles.ts')).profilesCommands,
    ),
    lazyCommand(
      'login',
      'Add a profile step by step, and check its key at the service',
      async () => (await import('./login.ts')).login,
    ),
    lazyCommand(
      'whoami',
      'Show which key, mode and address the next command would use, and why',
      async () => (await import('./whoami.ts')).whoami,
    ),
    lazyGroup(
      'sandbox',
      'Run the whole service on this machine, for tests and practice',
      async () => (await import('./sandbox/index.ts')).sandboxCommands,
    ),
    lazyGroup(
      'webhooks',
      'Receive events on this machine, look at them, check and replay them',
      async () => (await import('./webhooks/index.ts')).webhooksCommands,
    ),
    lazyCommand(
      'activity',
      'List what this machine changed at the service, the newest first',
      async () => (await import('./activity.ts')).activity,
    ),
    lazyCommand(
      'api',
      'Make one raw request, for what has no command of its own',
      async () => (await import('./api.ts')).api,
    ),
    lazyCommand(
      'doctor',
      'Check this machine, the profile, the network and the service, and say what to do',
      async () => (await import('./doctor.ts')).doctor,
    ),
    lazyGroup(
      'completion',
      'Have the shell complete commands, options and names',
      async () => (await import('./completion.ts')).completionCommands,
    ),
    helpCommand,
  ],
};
