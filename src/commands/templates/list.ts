import { command } from '../../cli/command.ts';
import { calling } from '../../cli/globals.ts';
import { listing, listParams, listView } from '../listing.ts';

export const listTemplates = command({
  name: 'list',
  summary: 'List the message templates',
  params: listParams,
  examples: ['templates list --profile local', "templates list --profile local --query '[].name'"],
  sample:
    'id\tname\tlanguage\tcategory\tstatus\tbody\tvariables\ntpl_sandbox_4\tverification_code\ten_US\tAUTHENTICATION\tAPPROVED\t…\n…',
  honours: calling,
  piped: 'rows',
  run: (context, input) => listing(context, 'listTemplates', input),
  view: listView('templates'),
});
