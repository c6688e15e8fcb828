import type { LoggedCall } from '../session/activity/log.ts';
import { command, type Context } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { flag, type Input, option, span } from '../cli/params.ts';
import { newestLast, newestOf } from './newest-last.ts';
import { refuseUnreadable } from '../base/files.ts';
import { warnOncePerFile } from '../base/journal-lines.ts';

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
    'The log keeps at least the last 100,000 calls, without keys, params or full phone numbers. An unsure call',
    'may have been processed. This command makes no API calls.',
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
  const { activityFolder, newestFirst } = await import('../session/activity/log.ts');
  const folder = activityFolder(context.stateFolder());
  refuseUnreadable(folder);
  const from = since === undefined ? -Infinity : context.host.now() - since;
  const onDamage = warnOncePerFile(context, 'activity-damaged');
  return newestOf(context, limit, async (most = Infinity) => {
    const rows: object[] = [];
    for (const call of newestFirst(folder, context.host.kill, onDamage)) {
      if (call.intent.at < from || rows.length === most) break;
      if ((live && call.intent.mode === 'sandbox') || (failed && isHealthy(call))) continue;
      rows.push(rowOf(call));
    }
    return rows.reverse();
  });
}

function isHealthy({ state }: LoggedCall): boolean {
  return state === 'done' || state === 'under way';
}

function rowOf(call: LoggedCall): object {
  const { intent, ending, state } = call;
  const { at, mode, simulated, profile, host, command, method, endpoint, recipient, template, run } = intent;
  return {
    at: new Date(at).toISOString(),
    outcome: state,
    mode,
    simulated,
    profile,
    host,
    command,
    method,
    endpoint,
    template: template ?? null,
    recipient: recipient ?? null,
    message_id: ending?.message_id ?? null,
    run: run ?? null,
    counts: ending?.counts ?? null,
    about: about(call),
  };
}

/** Describes the outcome; null if there is nothing to add. */
function about({ intent: { run, pid }, ending, state }: LoggedCall): string | null {
  if (state === 'under way') return `by process ${pid}`;
  const detail = ending ? detailOf(ending) : 'the process ended before the response';
  const unsure = state === 'unsure' ? ['may have been done'] : [];
  const more = run !== undefined && state !== 'done' ? [`see runs show ${run}`] : [];
  return [...unsure, ...(detail === '' ? [] : [detail]), ...more].join(': ') || null;
}

function detailOf({ counts, status, code }: NonNullable<LoggedCall['ending']>): string {
  if (!counts) return [status, code].filter((part) => part !== undefined).join(' ');
  const { rows, done, failed, unsure, unsent } = counts;
  const parts = Object.entries({ failed, unsure, unsent }).filter(([, number]) => number > 0);
  return [`${done} of ${rows} rows`, ...parts.map(([name, number]) => `${number} ${name}`)].join(', ');
}
