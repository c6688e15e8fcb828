import { command } from '../../cli/command.ts';
import { atLeastOne, duration, option, required, rest } from '../../cli/params.ts';
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
    const { expectEvents } = await import('../waiting/expect.ts');
    const { count = 1, within = 10_000 } = input;
    return { code: await expectEvents(context, { ...input, count, within }) };
  },
  view: () => '',
  exit: ({ code }) => code,
});
