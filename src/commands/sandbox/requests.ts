import { command, type Ui } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { flag } from '../../cli/params.ts';
import { usage } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';
import { endpointNames, endpoints } from '../../contract/endpoints.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { listCommand, listParams } from '../list.ts';
import { ask, sandboxLog } from './control.ts';
import { partLines, requestLine } from './lines.ts';
import { wordsForEndpoint } from './names.ts';

const bytes = flag('--bytes', 'show each request and its answer as they were sent; keys are masked');
const about = {
  name: 'requests',
  summary: 'List the requests that the sandbox received',
  examples: [
    'sandbox requests',
    'sandbox requests --type send-template -o ndjson',
    'sandbox requests --bytes --limit 1',
  ],
  sample:
    'at\tmethod\tpath\tstatus\tkey\tmessage_id\tfault\tdetail\n2026-05-01T…\tGET\t/api/public/contacts\t200\tkey_5c1f2a…\t\t\t\n…',
} as const;

const exchanges = command({
  ...about,
  params: { bytes, limit: listParams.limit },
  accepts: printOptions,
  piped: 'text',
  run: (context, { limit = 10 }) => ask(context, 'exchanges', { limit }),
  view: (all, ui) =>
    all.map((one) => exchangeText(one, ui)).join('\n\n') || 'No requests since the sandbox was started',
});

function exchangeText({ request, sent, answered }: OutputOf<'exchanges'>[number], ui: Ui): string {
  return [
    ui.color.bold(requestLine(request, ui)),
    ...partLines('>', `${sent.method} ${sent.path}`, sent),
    ...partLines('<', answered.status === 0 ? 'no answer' : String(answered.status), answered),
  ].join('\n');
}

const endpointWords = [...new Set(endpointNames.flatMap(wordsForEndpoint))];

export const sandboxRequests = listCommand({
  ...about,
  details: [
    'The sandbox keeps the last 10,000 requests with a valid key, and the last 1,000 others; of the last 100 since it was',
    'started also the bytes, up to 16 KB of each body.',
  ].join('\n'),
  noun: 'requests',
  type: {
    word: 'endpoints',
    text: 'only requests to these endpoints or paths, such as send-template or /api/public',
    known: endpointWords,
    check(word) {
      if (word.startsWith('/') || endpointWords.includes(word)) return;
      const near = suggest(word, endpointWords);
      throw usage(
        `"${word}" is neither an endpoint nor a path`,
        near ? `did you mean ${near}?` : `use ${endpointWords.join(', ')}`,
      );
    },
  },
  params: { bytes },
  instead: { bytes: exchanges },
  first: ['at', 'method', 'path', 'status', 'detail'],
  open: (context) => sandboxLog(context, 'requests', (sandbox, part) => sandbox.ask('requests', part)),
  entryOf: (row: OutputOf<'requests'>[number]) => ({ at: Date.parse(row.at), types: typesOf(row), row: { ...row } }),
  line: requestLine,
  empty: 'No requests yet',
});

/** The path of a request, and the words for its endpoint. */
function typesOf({ method, path }: OutputOf<'requests'>[number]): readonly string[] {
  const [plain = ''] = path.split('?');
  const name = endpointNames.find((one) => endpoints[one].method === method && endpoints[one].path === plain);
  return [plain, ...(name ? wordsForEndpoint(name) : [])];
}
