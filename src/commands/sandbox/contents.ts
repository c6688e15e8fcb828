import { usage } from '../../base/errors.ts';
import { command, type Context } from '../../cli/command.ts';
import { chosen, knowing, required } from '../../cli/params.ts';
import { Mismatch } from '../../contract/readers.ts';
import { resettable } from '../../sandbox/state/records.ts';
import { jsonIn } from '../body.ts';
import { ask } from './control.ts';

export const resetSandbox = command({
  name: 'reset',
  summary: 'Delete messages, contacts or logs of the sandbox, or all of them',
  details: `The five sample contacts are restored; all also restores the sample templates and campaigns. Keys, plan,
    webhooks, faults and clock are kept. After a reset of messages, contacts or all, no row counts as sent to this
    sandbox: the same import or batch sends all rows again.`,
  params: {
    what: knowing(
      resettable,
      required('<what>', `one of ${resettable.join(', ')}`, (text) => chosen(text, resettable)),
    ),
  },
  examples: ['sandbox reset all', 'sandbox reset messages'],
  changes: true,
  run: async (context, { what }) => ({ reset: what, ...(await ask(context, 'reset', { what })) }),
  view: ({ reset, ...counts }, ui) => ui.line([`${ui.color.green('Reset')} ${reset}: ${countsText(counts)}`]),
});

export const seedSandbox = command({
  name: 'seed',
  summary: 'Load contacts, templates and campaigns into the sandbox',
  details: `The file is a JSON object with one or more of these arrays. A record may omit id and created_at; it
    replaces a record with the same phone, name or id. If one record is invalid, nothing is loaded. For example:
      {"contacts": [{"phone": "+12025550142", "name": "Ada"}],
       "templates": [{"name": "thanks", "body": "Thank you, {{1}}!"}],
       "campaigns": [{"name": "Spring", "template": "thanks"}]}`,
  params: { file: required('<file>', 'a JSON file, or - for stdin') },
  examples: ['sandbox seed - < contents.json'],
  changes: true,
  run: async (context, { file }) => ({ ...(await ask(context, 'seed', await contentsIn(context, file))) }),
  view: (counts, ui) => ui.line([`${ui.color.green('Loaded')} ${countsText(counts)}`]),
});

/** Reads and checks a file of contents, before a sandbox is started for it. */
export async function contentsIn(context: Context, file: string): Promise<object> {
  const { newContents } = await import('../../sandbox/contents/read.ts');
  const source = file === '-' ? 'stdin' : file;
  try {
    return newContents(jsonIn(await context.read(file), source));
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw usage(`nothing was loaded from ${source}`, `${error.at} ${error.message}`.trim());
  }
}

/** `1 contact, 2 templates` */
function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${count === 1 ? name.replace(/s$/, '') : name}`)
    .join(', ');
}
