import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';

export const exportSandbox = command({
  name: 'export',
  summary: 'Print what the sandbox holds, as sandbox seed takes it',
  details: [
    'It is one object with contacts, templates and campaigns, and with messages and events, which sandbox',
    'seed leaves out. It has no key and no secret.',
  ].join('\n'),
  params: {},
  examples: ['sandbox export', 'sandbox export --query contacts -o csv'],
  sample: '{"contacts":[{"id":"con_sandbox_1","phone":"+12025550111","name":"Grace…',
  honours: [...printing],
  piped: 'json',
  run: async (context) => (await context.sandbox()).export(),
  view: (contents) => JSON.stringify(contents, undefined, 2),
});
