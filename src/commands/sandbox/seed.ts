import { command, type Context } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { required } from '../../cli/params.ts';
import { usage } from '../../base/errors.ts';
import { jsonIn } from '../body.ts';
import { counted } from './counted.ts';

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
