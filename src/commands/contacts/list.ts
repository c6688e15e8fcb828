import { command } from '../../cli/command.ts';
import { calling } from '../../cli/globals.ts';
import { listing, listParams, listView } from '../listing.ts';

export const listContacts = command({
  name: 'list',
  summary: 'List the contacts',
  params: listParams,
  examples: [
    'contacts list --profile local',
    'contacts list --profile local --all -o ndjson',
    'contacts list --profile local --columns id,phone --limit 2',
  ],
  sample:
    'id\tphone\tname\ttags\tattributes\tcreated_at\ncon_sandbox_1\t+12025550111\tGrace Hopper\t["customer"]\t{}\t2026-…\n…',
  honours: calling,
  piped: 'rows',
  run: (context, input) => listing(context, 'listContacts', input),
  view: listView('contacts'),
});
