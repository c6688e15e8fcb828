import { CliError } from '../../base/errors.ts';
import { command, type Context } from '../../cli/command.ts';
import { spanText } from '../../cli/output/figures.ts';
import { atLeastOne, duration, type Input, option, required, rest } from '../../cli/params.ts';
import { byName, selectedBy, webhookId, type WebhookEvent } from '../../webhooks/event/event.ts';
import {
  createLimit,
  eventText,
  firstResult,
  openWatch,
  type Result,
  timelineEvent,
  unnamed,
  type WatchedEvent,
} from '../waiting/watch.ts';
import { whereParam } from './recorded.ts';

const params = {
  event: required('<event>', 'the event, a family such as message, or alternatives separated by commas'),
  where: whereParam,
  count: option('--count <n>', 'the number of events (default: 1)', atLeastOne),
  within: option('--within <duration>', 'how long to wait after the command has ended (default: 10s)', duration),
  words: rest('-- <command...>', 'the command and its arguments, as they are'),
} as const;

export const expectEvent = command({
  name: 'expect',
  summary: 'Run a command and wait for events that it should cause',
  details: `Only events after the start of the command count, including events of earlier messages: use --where to
    match yours, for example by recipient. The events are those of the local sandbox if that is called (--profile
    local, or inside sandbox exec), otherwise those that bizmsg webhooks listen receives on this machine. If the
    webhook secret is known, only correctly signed events count. An event that is delivered twice counts once.

    Exit 0: all events arrived. 12: message.failed arrived instead of message.delivered or message.read. 13: time-out.
    If the command fails, its own exit code is the result. Background processes of the command are ended after the
    wait.`,
  params,
  examples: [
    'webhooks expect message.delivered --profile local -- bizmsg send-template +12025550101 order_update -p Ada -p 1 --profile local',
    'webhooks expect order.paid --where data.currency=EUR --count 2 -- npm test',
  ],
  accepts: ['mode', 'profile', 'baseUrl'],
  run: async (context, input) => {
    const { count = 1, within = 10_000 } = input;
    return { code: await expectEvents(context, { ...input, count, within }) };
  },
  view: () => '',
  exit: ({ code }) => code,
});

type Expecting = Input<typeof params> & { readonly count: number; readonly within: number };

/** Runs the command and waits for its events. Returns the exit code of the command, or 0; throws if events are missing. */
async function expectEvents(context: Context, options: Expecting): Promise<number> {
  const { host, progress: openProgress, stateFolder } = context;
  const { event: name, within, words: command } = options;
  // Refuses invalid events and conditions before anything starts.
  const resultOf = expectation(options);
  const [watch, progress, { runCommand }] = [
    await openWatch(context),
    await openProgress(),
    await import('../child.ts'),
  ];
  const limit = createLimit(host.later, host.signal);
  const tally = createTally(context, options, resultOf, watch.now());
  try {
    const waiting = firstResult(watch, tally.judge, limit.signal);
    // Rethrown below; an error here would leave the command running.
    waiting.catch(() => {});
    const afterwards = async (exit: number) => {
      if (exit !== 0) return;
      // Background processes of the command may still cause events.
      limit.start(within);
      const until = watch.now() + within;
      progress.follow(() => `waiting for ${name} · ${spanText((until - watch.now()) / 1_000)} left`);
      await waiting.catch(() => {});
      progress.end();
    };
    const code = await runCommand(host, { command, stateFolder: stateFolder(), afterwards });
    if (code !== 0) return code;
    const result = (await waiting) ?? tally.missing(host.signal.aborted);
    if (result instanceof CliError) throw result;
    return 0;
  } finally {
    limit.release();
    await watch.close?.();
  }
}

/** Returns how an event ends a wait for these events. */
export function expectation({ event, where }: Pick<Expecting, 'event' | 'where'>) {
  const [isNamed, passes] = [byName(event), selectedBy(undefined, where)];
  const isWanted = (name: string) => isNamed({ name, body: { kind: 'none' } });
  const hasOpposite = (isWanted('message.delivered') || isWanted('message.read')) && !isWanted('message.failed');
  return (seen: Pick<WebhookEvent, 'name' | 'body'>): Result | undefined => {
    if (!passes(seen)) return undefined;
    if (isNamed(seen)) return 'expected';
    return hasOpposite && seen.name === 'message.failed' ? 'opposite' : undefined;
  };
}

/** Counts expected events, and by name those that are not expected. */
function createTally(
  { note }: Context,
  { event: wanted, where, count, within }: Expecting,
  resultOf: ReturnType<typeof expectation>,
  start: number,
) {
  const isNamed = byName(wanted);
  const others = new Map<string, number>();
  const ids = new Set<string>();
  let arrived = 0;
  return { judge, missing };

  /** The result ends the wait. */
  function judge(event: WatchedEvent): CliError | 'all' | undefined {
    const { name = unnamed, reason = 'no reason given', message_id: message, received } = event;
    const result = resultOf(event);
    if (!result) {
      const what = isNamed(event) ? `${name} that did not match --where '${where.join("' --where '")}'` : name;
      others.set(what, (others.get(what) ?? 0) + 1);
      return undefined;
    }
    // The message id shows events of other messages.
    note('event', eventText(timelineEvent(event, start)) + (message === undefined ? '' : ` (${message})`));
    if (result === 'opposite')
      return new CliError('opposite', 'opposite', `${name} arrived instead of ${wanted}: ${reason}`);
    const id = received && webhookId(received);
    if (id === undefined || !ids.has(id)) arrived += 1;
    if (id !== undefined) ids.add(id);
    return arrived >= count ? 'all' : undefined;
  }

  function missing(isInterrupted: boolean): CliError {
    const progress = `${arrived} of ${count} ${wanted} arrived`;
    if (isInterrupted) return new CliError('interrupted', 'interrupted', `interrupted; ${progress}`);
    const hint = others.size > 0 ? `other events: ${listed(others)}` : 'no other events arrived';
    const message = `${progress} within ${within / 1000} s after the command ended`;
    return new CliError('unsure', 'not-in-time', message, { hint });
  }
}

function listed(times: ReadonlyMap<string, number>): string {
  return [...times].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`)).join(', ');
}
