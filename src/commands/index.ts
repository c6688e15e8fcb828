import { lazyCommand, lazyGroup, type Tree } from '../cli/command.ts';
import { sendTemplate } from './send-template.ts';

/** All commands. A group loads its commands on first use. */
export const tree: Tree = {
  kind: 'tree',
  name: 'bizmsg',
  summary: 'the command line of the Business Messaging Public API',
  children: [
    sendTemplate,
    lazyCommand(
      'send-batch',
      'Send an approved template to every person in a file',
      async () => (await import('./send-batch.ts')).sendBatch,
    ),
    lazyGroup(
      'contacts',
      'List, create, import and export contacts',
      async () => (await import('./contacts/contacts.ts')).contactsCommands,
    ),
    lazyGroup(
      'runs',
      'List, show, resolve and close imports and batches',
      async () => (await import('./runs.ts')).runsCommands,
    ),
    lazyGroup('templates', 'List and show templates', async () => (await import('./templates.ts')).templatesCommands),
    lazyGroup('campaigns', 'List campaigns', async () => [(await import('./lists.ts')).listCampaigns]),
    lazyGroup(
      'keys',
      'Choose real messages (live) or simulated ones (sandbox)',
      async () => (await import('./keys.ts')).keysCommands,
    ),
    lazyGroup(
      'profiles',
      'List and set profiles: addresses, plans and settings',
      async () => (await import('./profiles.ts')).profilesCommands,
    ),
    lazyCommand('login', 'Add a profile, or renew its key', async () => (await import('./login.ts')).login),
    lazyCommand(
      'logout',
      'Remove a profile with its keys, or one of its keys',
      async () => (await import('./logout.ts')).logout,
    ),
    lazyCommand(
      'whoami',
      'Show which profile, key and address are used, and why',
      async () => (await import('./whoami.ts')).whoami,
    ),
    lazyGroup(
      'sandbox',
      'Run and control the service that is simulated on this machine',
      async () => (await import('./sandbox/index.ts')).sandboxCommands,
    ),
    lazyGroup(
      'webhooks',
      'Receive, show, verify and replay events of the service',
      async () => (await import('./webhooks/index.ts')).webhooksCommands,
    ),
    lazyGroup(
      'team',
      'Share one ledger and rate limit between machines',
      async () => (await import('./team.ts')).teamCommands,
    ),
    lazyCommand('api', 'Make a raw API request', async () => (await import('./api.ts')).api),
    lazyCommand(
      'doctor',
      'Check this machine, the profile and the service',
      async () => (await import('./doctor.ts')).doctor,
    ),
    lazyCommand(
      'completion',
      'Print the completion script for a shell',
      async () => (await import('./completion.ts')).completion,
    ),
    lazyCommand(
      'help',
      'Show help for a command, a topic, an option or an exit code',
      async () => (await import('./help.ts')).helpCommand,
    ),
  ],
};
