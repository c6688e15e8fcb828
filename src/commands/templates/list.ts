import { command } from '../../cli/command.ts';
import { calling } from '../../cli/globals.ts';
import { isRecord } from '../../contract/readers.ts';
import { listing, listParams, listView } from '../listing.ts';

export const listTemplates = command({
  name: 'list',
  summary: 'List the templates',
  params: listParams,
  examples: ['templates list --profile local', "templates list --profile local --query '[].name'"],
  sample:
    'id\tname\tlanguage\tcategory\tstatus\tbody\tvariables\ntpl_sandbox_1\torder_update\ten_US\tUTILITY\tAPPROVED\tHello …\n…',
  honours: calling,
  piped: 'rows',
  run: async (context, input) => {
    const found = await listing(context, 'listTemplates', input);
    // A part of the list is not what a shell should offer from now on.
    if (input.limit === undefined && input.urlParams.length === 0) await context.learnTemplates(namesIn(found));
    return found;
  },
  view: listView('templates'),
});

/** Of those records that have one. */
function namesIn(list: unknown): readonly string[] {
  const records: readonly unknown[] = Array.isArray(list) ? list : [];
  return records.flatMap((record) => (isRecord(record) && typeof record['name'] === 'string' ? [record['name']] : []));
}
