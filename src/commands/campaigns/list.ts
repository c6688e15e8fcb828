import { command } from '../../cli/command.ts';
import { calling } from '../../cli/globals.ts';
import { listing, listParams, listView } from '../listing.ts';

export const listCampaigns = command({
  name: 'list',
  summary: 'List the campaigns',
  params: listParams,
  examples: ['campaigns list --profile local', 'campaigns list --profile local -o csv'],
  sample:
    'id\tname\ttemplate\tstatus\taudience\tcounts\tcreated_at\ncmp_sandbox_1\tWelcome to new customers\twelcome\tCOMPLETED\t120\t{"sent":120,…\n…',
  honours: calling,
  piped: 'rows',
  run: (context, input) => listing(context, 'listCampaigns', input),
  view: listView('campaigns'),
});
