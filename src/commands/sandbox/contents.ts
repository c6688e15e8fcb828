import { usage } from '../../base/errors.ts';
import { command, type Context } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { cell, type Row } from '../../cli/output/rows.ts';
import { chosen, knowing, required } from '../../cli/params.ts';
import { jsonIn } from '../body.ts';

const resettable = ['messages', 'contacts', 'logs', 'all'] as const;

export const resetSandbox = command({
  name: 'reset',
  summary: 'Reset what the sandbox holds: its messages, contacts, logs, or all',
  details: [
    'The five contacts of a new sandbox are back; with all also its templates and campaigns.',
    'Keys, plan, webhooks, faults and clock stay as they are. After a reset of messages, contacts or all, nothing',
    'counts as sent to this sandbox: the same import or batch sends all rows again.',
  ].join('\n'),
  params: {
    what: knowing(
      { of: resettable },
      required('<what>', `one of ${resettable.join(', ')}`, (text) => chosen(text, resettable)),
    ),
  },
  examples: ['sandbox reset all', 'sandbox reset messages'],
  sample: 'Reset all: 5 contacts, 7 templates, 3 campaigns, 0 messages, 0 events, …',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { what }) => ({ reset: what, ...(await (await context.sandbox()).reset(what)) }),
  view: ({ reset, ...counts }, ui) => `${ui.color.green('Reset')} ${reset}: ${counted(counts)}`,
});

export const seedSandbox = command({
  name: 'seed',
  summary: 'Fill the sandbox with contacts, templates and campaigns',
  details: [
    'The file is a JSON object that has these as arrays, or some of them. A record may leave out id and',
    'created_at; one whose phone, name or id is there already replaces the other. When one record is wrong,',
    'nothing is taken. For example:',
    '  {"contacts": [{"phone": "+12025550142", "name": "Ada"}],',
    '   "templates": [{"name": "thanks", "body": "Thank you, {{1}}!"}],',
    '   "campaigns": [{"name": "Spring", "template": "thanks"}]}',
    'To begin with what is there: bizmsg sandbox export > contents.json',
  ].join('\n'),
  params: { file: required('<file>', 'a JSON file, or - for stdin') },
  examples: ['sandbox seed - < contents.json'],
  sample: 'Took 250 contacts, 4 templates, 1 campaign',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { file }) => (await context.sandbox()).seed(await contentsIn(context, file)),
  view: (taken, ui) => `${ui.color.green('Took')} ${counted({ ...taken })}`,
});

/** What a file holds for a sandbox, known to be good before one is asked. */
export async function contentsIn(context: Context, file: string): Promise<object> {
  const { readContents, told } = await import('../../sandbox/contents/read.ts');
  const where = file === '-' ? 'stdin' : file;
  const { contents, problems, ignored } = readContents(jsonIn(await context.read(file), where));
  if (problems.length > 0) throw usage(`nothing of ${where} was taken`, told(problems).join('\n'));
  if (ignored.length > 0) context.note('not-taken', `left out, since a sandbox makes its own: ${ignored.join(', ')}`);
  return contents;
}

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

/** How many of each, by names in the plural: `1 contact, 2 templates`. */
function counted(counts: Row): string {
  return Object.entries(counts)
    .map(([name, count]) => `${cell(count)} ${count === 1 ? name.replace(/s$/, '') : name}`)
    .join(', ');
}
