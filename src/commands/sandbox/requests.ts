import { type Command, command, type Context, streaming } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { count, flag, type Input, option } from '../../cli/params.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { inCommandWords } from './control-errors.ts';

const described = {
  name: 'requests',
  summary: 'List the requests that the sandbox received, including those without a valid key',
  details: 'The sandbox keeps the last 10,000 requests with a valid key, and the last 1,000 others.',
  params: {
    follow: flag('-f, --follow', 'keep printing new requests until Ctrl-C'),
    limit: option('--limit <n>', 'show at most the n newest (default: all)', count),
  },
  examples: ['sandbox requests', 'sandbox requests --limit 20 -o ndjson'],
  sample:
    'at\tmethod\tpath\tstatus\tkey\tfault\tdetail\n2026-05-01T…\tGET\t/api/public/contacts\t200\tkey_5c1f2a…\t\t\n…',
  accepts: printOptions,
  piped: 'rows',
} as const;

const list = command({
  ...described,
  run: async (context, input) => (await newest(context, input)).rows,
  view: () => 'No requests yet',
});

const follow = streaming({
  ...described,
  async *run(context, input) {
    let { rows, cursor } = await newest(context, input);
    const sandbox = await context.sandbox();
    const end = interrupted(context.signal);
    for (;;) {
      yield rows;
      const following = sandbox.ask('requests', { after: cursor, wait: 20_000 }, context.signal);
      const next = await Promise.race([following, end]);
      if (!next) return undefined;
      const missed = next.cursor - cursor - next.requests.length;
      if (missed > 0) context.note('missed', `requests removed from the log before they could be shown: ${missed}`);
      ({ cursor } = next);
      rows = next.requests.map(callRow);
    }
  },
  line: ({ at, method, path, status, key, fault, detail }) =>
    [at.slice(11, 23), status, method, path, key, fault, detail].filter((value) => value !== null).join('  '),
  view: () => '',
});

export const sandboxRequests: Command = {
  ...list,
  run: (context, texts, emit) => (texts['follow']?.length ? follow : list).run(context, texts, emit),
};

export const sandboxAudit = command({
  name: 'audit',
  summary: 'List the audit log of a key: every call made with it, successful or not',
  details: 'The sandbox keeps the last 10,000 calls of all keys together.',
  params: {
    key: option('--key <id>', 'the key id, from sandbox keys list (default: the sandbox key of --profile local)'),
  },
  examples: ['sandbox audit', 'sandbox audit -o json'],
  sample:
    'at\tmethod\tpath\tstatus\tkey\tfault\tdetail\n2026-05-01T…\tGET\t/api/public/contacts\t200\tkey_5c1f2a…\t\t\n…',
  accepts: printOptions,
  piped: 'rows',
  run: async (context, { key }) => {
    const asking = (await context.sandbox()).ask('audit', { key });
    return (await inCommandWords(asking, { see: 'sandbox keys list' })).map(callRow);
  },
  view: () => 'No calls yet',
});

async function newest(context: Context, { limit }: Input<typeof described.params>) {
  const { requests, cursor } = await (await context.sandbox()).ask('requests');
  return { rows: (limit === undefined ? requests : requests.slice(-limit || requests.length)).map(callRow), cursor };
}

/** Has all columns, empty or not: the first row decides a table's. */
function callRow({ at, method, target, status, key, fault, detail }: OutputOf<'audit'>[number]) {
  return {
    at: new Date(at).toISOString(),
    method,
    path: target,
    status,
    key: key ?? null,
    fault: fault ?? null,
    detail: detail ?? null,
  };
}

function interrupted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
