import { command, type Context } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { flag, type Input, option, span } from '../cli/params.ts';
import type { Call } from '../logs/activity.ts';
import { newestLast, newestOf } from './newest-last.ts';

const params = {
  ...newestLast,
  since: option('--since <span>', 'only calls of the last 10m, 2h or 1d; a bare number is seconds', span),
  live: flag('--live', 'only calls with a live key'),
  failed: flag('--failed', 'only calls that failed, even in part, are unsure or were interrupted'),
} as const;

export const activity = command({
  name: 'activity',
  summary: 'List the changes made from this machine, newest last',
  details: [
    'The log keeps the last 100,000 calls, without keys, params or full phone numbers. An unsure call may have',
    'been processed. This command makes no API calls.',
    'It knows only this machine.',
  ].join('\n'),
  params,
  examples: ['activity', 'activity --since 10m', 'activity --live --failed -o json'],
  sample:
    'at\toutcome\tmode\tsimulated\tprofile\thost\tcommand\t…\n2026-…\tdone\tsandbox\ttrue\tlocal\t127.0.0.1:4780\tsend-template\t…\n…',
  accepts: printOptions,
  piped: 'rows',
  first: ['at', 'outcome', 'command', 'recipient', 'template', 'profile', 'about'],
  run: listCalls,
  view: () => 'No activity',
});

async function listCalls(context: Context, { limit, since, live, failed }: Input<typeof params>) {
  const { openRecorded } = await import('../logs/database.ts');
  const { callsBefore, outcomeOf } = await import('../logs/activity.ts');
  const note = (text: string) => context.note('activity', text);
  const logs = await openRecorded(context.stateFolder(), { host: context.host, note });
  const from = since === undefined ? -Infinity : context.host.now() - since;
  return newestOf(context, limit, async (most = Infinity) => {
    const rows: object[] = [];
    for (let page = await logs?.read(callsBefore()); page;) {
      for (const call of page) {
        const outcome = outcomeOf(call, context.host);
        const isWanted =
          !(live && call.mode === 'sandbox') && !(failed && (outcome === 'done' || outcome === 'under way'));
        if (call.at >= from && rows.length < most && isWanted) rows.push(rowOf(call, outcome));
      }
      const last = page.at(-1);
      page = last && (await logs?.read(callsBefore(last.id)));
    }
    await logs?.close();
    return rows.reverse();
  });
}

function rowOf(call: Call, outcome: string): object {
  const { at, mode, simulated, profile, host, command, method, endpoint, recipient, template, run } = call;
  return {
    at: new Date(at).toISOString(),
    outcome,
    mode,
    simulated,
    profile,
    host,
    command,
    method,
    endpoint,
    template,
    recipient,
    message_id: call.message_id,
    run,
    counts: call.counts,
    about: about(call, outcome),
  };
}

/** Describes the outcome; null if there is nothing to add. */
function about(call: Call, outcome: string): string | null {
  if (outcome === 'under way') return `by process ${call.pid}`;
  const detail = call.outcome === null ? 'the process ended before the response' : detailOf(call);
  const unsure = outcome === 'unsure' ? ['may have been done'] : [];
  const more = call.run !== null && outcome !== 'done' ? [`see runs show ${call.run}`] : [];
  return [...unsure, ...(detail === '' ? [] : [detail]), ...more].join(': ') || null;
}

function detailOf({ counts, status, code }: Call): string {
  if (!counts) return [status, code].filter((part) => part !== null).join(' ');
  const { rows, done, failed, unsure, unsent } = counts;
  const parts = Object.entries({ failed, unsure, unsent }).filter(([, number]) => number > 0);
  return [`${done} of ${rows} rows`, ...parts.map(([name, number]) => `${number} ${name}`)].join(', ');
}
