import { usage } from '../../base/errors.ts';
import { untilAborted } from '../../base/sleep.ts';
import { type Command, command, streaming, type Ui } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { flag, option } from '../../cli/params.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { newestLast, newestOf } from '../newest-last.ts';
import { ask, localSandbox } from './control.ts';
import { partLines, requestLine } from './lines.ts';

const described = {
  name: 'requests',
  summary: 'List the requests that the sandbox received',
  details: [
    'The sandbox keeps the last 10,000 requests with a valid key, and the last 1,000 others; of the last 100 since it was',
    'started also the bytes, up to 16 KB of each body.',
  ].join('\n'),
  params: {
    bytes: flag('--bytes', 'show each request and its answer as they were sent; keys are masked'),
    follow: flag('-f, --follow', 'show the 10 newest, then new ones until Ctrl-C'),
    ...newestLast,
  },
  examples: ['sandbox requests', 'sandbox requests --limit 20 -o ndjson', 'sandbox requests --bytes --limit 1'],
  sample:
    'at\tmethod\tpath\tstatus\tkey\tmessage_id\tfault\tdetail\n2026-05-01T…\tGET\t/api/public/contacts\t200\tkey_5c1f2a…\t\t\t\n…',
  accepts: printOptions,
  piped: 'rows',
} as const;

const list = command({
  ...described,
  first: ['at', 'method', 'path', 'status', 'detail'],
  run: (context, { limit }) =>
    newestOf(context, limit, async (most) => (await ask(context, 'requests', { limit: most })).requests),
  view: () => 'No requests yet',
});

const follow = streaming({
  ...described,
  async *run(context, { limit = 10 }) {
    const sandbox = await localSandbox(context);
    let { requests, cursor } = await sandbox.ask('requests', { limit });
    const end = untilAborted(context.host.signal);
    for (;;) {
      yield requests;
      const following = sandbox.ask('requests', { after: cursor, wait: 20_000 }, context.host.signal);
      const next = await Promise.race([following, end]);
      if (!next) return undefined;
      const missed = next.cursor - cursor - next.requests.length;
      if (missed > 0) context.note('missed', `requests removed from the log before they could be shown: ${missed}`);
      ({ requests, cursor } = next);
    }
  },
  line: requestLine,
  view: () => '',
});

const bytes = command({
  ...described,
  piped: 'text',
  run: async (context, { follow: isFollowing, limit = 10 }) => {
    if (isFollowing) throw usage('--bytes excludes --follow');
    return ask(context, 'exchanges', { limit });
  },
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

export const sandboxRequests: Command = {
  ...list,
  run(context, texts, emit) {
    const chosen = texts['bytes']?.length ? bytes : texts['follow']?.length ? follow : list;
    return chosen.run(context, texts, emit);
  },
};

export const sandboxAudit = command({
  name: 'audit',
  summary: 'List the calls made with a key',
  details: 'The sandbox keeps the last 10,000 calls of all keys together.',
  params: {
    key: option('--key <id>', 'the key id, from sandbox keys list (default: the sandbox key of --profile local)'),
    ...newestLast,
  },
  examples: ['sandbox audit', 'sandbox audit --limit 20 -o json'],
  sample:
    'at\tmethod\tpath\tstatus\tkey\tmessage_id\tfault\tdetail\n2026-05-01T…\tGET\t/api/public/contacts\t200\tkey_5c1f2a…\t\t\t\n…',
  accepts: printOptions,
  piped: 'rows',
  run: (context, { key, limit }) => newestOf(context, limit, (most) => ask(context, 'audit', { key, limit: most })),
  view: () => 'No calls yet',
});
