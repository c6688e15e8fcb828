import { type Call, callsAfter, callsBefore, outcomeOf } from '../logs/activity.ts';
import { listCommand } from './list.ts';
import { currentTeam } from '../session/team.ts';
import { loggedSource } from './logged.ts';

export const activity = listCommand({
  name: 'activity',
  summary: 'List the changes made from this machine or its team, newest last',
  details: [
    'The log keeps the last 100,000 calls, without keys, params or full phone numbers. An unsure call may have',
    'been processed. This command makes no API calls.',
    'It knows only this machine. With a team, it lists the runs and single messages of all machines instead;',
    '--no-team lists all that this machine has changed.',
  ].join('\n'),
  noun: 'calls',
  type: {
    word: 'commands',
    text: 'only calls of these commands, comma-separated; contacts means its family',
    known: ['api', 'contacts', 'doctor', 'send-batch', 'send-template'],
  },
  failed: 'only calls that failed, even in part, are unsure or were interrupted',
  examples: ['activity', 'activity --since 10m', 'activity --where mode=live --failed -o json'],
  sample:
    'at\toutcome\tmode\tsimulated\tprofile\thost\tcommand\t…\n2026-…\tdone\tsandbox\ttrue\tlocal\t127.0.0.1:4780\tsend-template\t…\n…',
  first: ['at', 'outcome', 'command', 'recipient', 'template', 'profile', 'about'],
  accepts: ['profile'],
  async open(context) {
    const [team, numberOf] = [await currentTeam(context), ({ id }: Call) => id];
    if (!team) return loggedSource(context, { before: callsBefore, after: callsAfter, numberOf });
    const { sharedAfter, sharedBefore } = await import('../session/team-calls.ts');
    return loggedSource(context, { before: sharedBefore, after: sharedAfter, numberOf }, team.server.database(''));
  },
  entryOf(call, { host }) {
    const outcome = outcomeOf(call, host);
    return {
      id: call.id,
      at: call.at,
      types: [call.command ?? ''],
      row: rowOf(call, outcome),
      hasFailed: outcome !== 'done' && outcome !== 'under way',
      hasEnded: outcome !== 'under way',
    };
  },
  empty: 'No activity',
});

function rowOf(call: Call, outcome: string) {
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
