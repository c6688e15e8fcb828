import { group, lazyCommand, lazyGroup, type LazyNode, type Node } from '../cli/command.ts';

/** All commands. A group loads its commands on first use. */
export const tree = group('bizmsg', 'The command line of the Business Messaging Public API', [
  ...under('Send', [
    lazyCommand(
      'send-template',
      'Send an approved template to one person',
      async () => (await import('./send-template.ts')).sendTemplate,
    ),
    lazyCommand(
      'send-batch',
      'Send a message to every person of a file',
      async () => (await import('./send-file.ts')).sendBatch,
    ),
    lazyGroup(
      'batches',
      'List, show and change what was sent to files of people',
      'list, show, report, resume, mark, cancel, delete',
      async () => (await import('./batches/batches.ts')).batchesCommands,
    ),
    lazyCommand(
      'history',
      'List what was sent from here, or everything to and from one person',
      async () => (await import('./history.ts')).history,
    ),
    lazyGroup(
      'opt-outs',
      'List, add and remove people who are never messaged',
      'list, add, remove',
      async () => (await import('./opt-outs.ts')).optOutsCommands,
    ),
  ]),
  ...under('Data', [
    lazyGroup(
      'contacts',
      'List, create, import and export contacts',
      'list, create, import, export',
      async () => (await import('./contacts.ts')).contactsCommands,
    ),
    lazyGroup(
      'templates',
      'List and show templates',
      'list, show',
      async () => (await import('./templates.ts')).templatesCommands,
    ),
    lazyGroup('campaigns', 'List campaigns', 'list', async () => [(await import('./lists.ts')).listCampaigns]),
  ]),
  ...under('Events', [
    lazyGroup(
      'webhooks',
      'Receive, show, verify and replay events of the service',
      'listen, list, show, verify, replay, expect',
      async () => (await import('./webhooks/index.ts')).webhooksCommands,
    ),
  ]),
  ...under('Practice: the service simulated on this machine', [
    lazyGroup(
      'sandbox',
      'Run and control the service that is simulated on this machine',
      'run: start, stop, exec, env · look: status, log, open · act: trigger, clock, fault, set, seed, reset',
      async () => (await import('./sandbox/index.ts')).sandboxCommands,
    ),
  ]),
  ...under('Account', [
    lazyCommand('login', 'Add a profile, or renew its key', async () => (await import('./login.ts')).login),
    lazyCommand(
      'logout',
      'Remove a profile with its keys, or one of its keys',
      async () => (await import('./keys.ts')).logout,
    ),
    lazyCommand(
      'whoami',
      'Show which profile, key and address are used, and why',
      async () => (await import('./whoami.ts')).whoami,
    ),
    lazyGroup(
      'profiles',
      'List and set profiles: addresses, plans and settings',
      'list, set',
      async () => (await import('./profiles.ts')).profilesCommands,
    ),
    lazyGroup(
      'team',
      'Share batches and the rate limit between machines',
      'join, status, leave',
      async () => (await import('./team.ts')).teamCommands,
    ),
    lazyGroup('keys', 'Choose real messages (live) or simulated ones (sandbox)', 'switch-mode', async () => [
      (await import('./keys.ts')).switchMode,
    ]),
  ]),
  ...under('Tools', [
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
  ]),
]);

/** The commands below a heading of the top-level help. */
function under<N extends Node | LazyNode>(heading: string, nodes: readonly N[]): readonly N[] {
  return nodes.map((node) => ({ ...node, heading }));
}
