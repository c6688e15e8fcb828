import { type Command, command, type Context, streaming } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { cell, type Row } from '../../cli/output/rows.ts';
import { count, flag, type Input, option } from '../../cli/params.ts';
import { inOurWords } from './control-errors.ts';

const described = {
  name: 'requests',
  summary: 'List the requests that reached the sandbox, also those without a valid key',
  details: 'The sandbox keeps the last 10,000 requests with a valid key, and the last 1,000 others.',
  params: {
    follow: flag('-f, --follow', 'go on with new ones, until Ctrl-C'),
    limit: option('--limit <n>', 'show at most the n newest (all)', count),
  },
  examples: ['sandbox requests', 'sandbox requests --limit 20 -o ndjson'],
  sample:
    'at\tmethod\tpath\tstatus\tkey\tfault\tdetail\n2026-05-01T…\tGET\t/api/public/contacts\t200\tkey_5c1f2a…\t\t\n…',
  honours: [...printing],
  piped: 'rows',
} as const;

const present = command({
  ...described,
  run: async (context, input) => (await shown(context, input)).rows,
  view: () => 'No requests yet',
});

const following = streaming({
  ...described,
  async *run(context, input) {
    let { rows, cursor } = await shown(context, input);
    const remote = await context.sandbox();
    const end = interrupted(context.signal);
    for (;;) {
      yield rows;
      const next = await Promise.race([remote.requests(cursor, 20_000, context.signal), end]);
      if (!next) return undefined;
      const missed = next.cursor - cursor - next.requests.length;
      if (missed > 0) context.note('missed', `requests that the log dropped before they could be shown: ${missed}`);
      ({ cursor } = next);
      rows = next.requests.map(callRow);
    }
  },
  line: ({ at, method, path, status, key, fault, detail }) =>
    [cell(at).slice(11, 23), status, method, path, key, fault, detail].filter(isGiven).map(cell).join('  '),
  view: () => '',
});

export const sandboxRequests: Command = {
  ...present,
  run: (context, texts, emit) => (texts['follow']?.length ? following : present).run(context, texts, emit),
};

async function shown(context: Context, { limit }: Input<typeof described.params>) {
  const { requests, cursor } = await (await context.sandbox()).requests();
  return { rows: (limit === undefined ? requests : requests.slice(-limit || requests.length)).map(callRow), cursor };
}

function interrupted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function isGiven(value: Row[string]): boolean {
  return value !== null;
}

export const sandboxAudit = command({
  name: 'audit',
  summary: "List a key's audit log: every call made with it, whatever came of it",
  details: 'The sandbox keeps the last 10,000 calls of all keys together.',
  params: {
    key: option('--key <id>', 'the id of a key, from sandbox keys list (the sandbox key of --profile local)'),
  },
  examples: ['sandbox audit', 'sandbox audit -o json'],
  sample:
    'at\tmethod\tpath\tstatus\tkey\tfault\tdetail\n2026-05-01T…\tGET\t/api/public/contacts\t200\tkey_5c1f2a…\t\t\n…',
  honours: [...printing],
  piped: 'rows',
  run: async (context, { key }) => {
    const calls = await inOurWords((await context.sandbox()).audit(key), { see: 'sandbox keys list' });
    return calls.map(callRow);
  },
  view: () => 'No calls yet',
});

/** A request that reached the sandbox, as a row that always has the same columns. */
function callRow({ at, method, target, status, key, fault, detail }: Row): Row {
  return {
    at: new Date(Number(at)).toISOString(),
    method,
    path: target,
    status,
    key: key ?? null,
    fault: fault ?? null,
    detail: detail ?? null,
  };
}
