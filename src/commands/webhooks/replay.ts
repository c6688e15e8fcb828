import { streaming } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { flag, option, words } from '../../cli/params.ts';
import { requireMeant } from './consent.ts';
import { mailing } from './destinations.ts';
import { preparation } from './preparing.ts';
import { replayed } from './replaying.ts';
import { secretParams } from './secrets.ts';
import { replayParams, wentWell } from './selection.ts';

export const replayEvents = streaming({
  name: 'replay',
  summary: 'Send events again that were received, the oldest first',
  details: [
    'They go as they came, byte for byte and with their headers, one after the other. Without --to each goes',
    'where it was forwarded the last time, and what never was goes where all the others went.',
    'Exit 10: some were not answered 2xx.',
  ].join('\n'),
  params: {
    ids: words('[ids...]', 'the ids of events, from webhooks history, or how they begin'),
    ...replayParams,
    file: option('--file <file>', 'an event as webhooks show --raw writes it, or - for stdin'),
    to: option('--to <address>', 'where to: 3000, localhost:3000/hook or a URL (where each went the last time)'),
    resign: flag('--resign', 'sign anew those that are too old to be accepted'),
    ...secretParams,
  },
  examples: ['webhooks replay --since 10m --failed', 'webhooks replay e1fq8zk3m00 --to 3000'],
  sample: 'e1fq8zk3m00  message.read  200  12 ms\nReplayed 1: answered 200: 1',
  honours: ['profile', ...printing],
  changes: true,
  piped: 'text',
  async *run(context, input) {
    const mail = await mailing(context, { ...input, failed: input.failed && 'or never forwarded' });
    await requireMeant(context, mail.to.values(), (count) => (count === 1 ? 'Send an event' : `Send ${count} events`));
    const prepare = await preparation(context, input);
    const { eventOf } = await import('../../webhooks/event/event.ts');
    const answers = new Map<string, number>();
    let failed = 0;
    for await (const { event, outcome } of replayed(context, mail, prepare)) {
      const { status = null, error = null, url, ms } = outcome;
      const answer = error ?? `answered ${status}`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      if (!wentWell(outcome)) failed += 1;
      yield { id: event.id, name: eventOf(event).name ?? null, url, status, error, ms };
    }
    return { replayed: mail.to.size, failed, answers: Object.fromEntries(answers) };
  },
  line: ({ id, name, status, error, ms }, ui) => {
    const paint = wentWell({ status: status ?? undefined, error: error ?? undefined }) ? ui.color.green : ui.color.red;
    return [id, name ?? 'no name', paint(error ?? String(status)), `${ms} ms`].join('  ');
  },
  view: ({ replayed, answers }) => {
    const told = Object.entries(answers).map(([answer, count]) => `${answer}: ${count}`);
    return replayed === 0 ? 'Nothing to replay' : `Replayed ${replayed}: ${told.join(', ')}`;
  },
  exit: ({ failed }) => (failed > 0 ? 'partial' : 'done'),
});
