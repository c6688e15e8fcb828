import { command, type Context } from '../../cli/command.ts';
import { count, duration, type Input, option, repeated, required, rest } from '../../cli/params.ts';
import { usage } from '../../base/errors.ts';
import { requireMeant } from './confirm-outside.ts';

const params = {
  event: required('<event>', 'the event, or message for its family; with commas between where any of them will do'),
  where: repeated('--where <path=value>', 'only events whose body has this value there, such as data.to=+12025550101'),
  count: option('--count <n>', 'how many of them (1)', atLeastOne),
  within: option('--within <duration>', 'how long to wait for them after the command has ended (10s)', duration),
  forwardTo: option('--forward-to <address>', 'forward events, as they came, to 3000, localhost:3000/hook or a URL'),
  answer: option(
    '--answer <status>',
    'what the handler has to answer: 2xx, or a status such as 204 (any answer)',
    statuses,
  ),
  words: rest('-- <command...>', 'the command and its arguments, as they are'),
} as const;

export const expectEvent = command({
  name: 'expect',
  summary: 'Run a command and wait for the events that it should cause',
  details: [
    'Events from before its start do not count. Those that come meanwhile do, also of an earlier message:',
    'tell yours from others with --where, by the recipient for instance. They are those of the local sandbox',
    'where that is called (--profile local, or inside sandbox exec), else those that bizmsg webhooks listen',
    'receives on this machine. If the webhook secret is known, only correctly signed events count.',
    '',
    'Exit 0: all came. 12: message.failed came in place of message.delivered or message.read, or the handler',
    'answered otherwise. 13: the time passed. When the command fails, its own exit code is the result. An',
    'event that is delivered twice counts once. Processes that the command leaves in the background are',
    'ended after the wait. Before it forwards to a handler on another machine it asks, or takes --yes.',
  ].join('\n'),
  params,
  examples: [
    'webhooks expect message.delivered --profile local -- bizmsg send-template +12025550101 order_update -p Ada -p 1 --profile local',
    'webhooks expect order.paid --where data.currency=EUR --count 2 -- npm test',
  ],
  sample: 'msg_sandbox_73617ba99900000k',
  accepts: ['mode', 'profile', 'baseUrl'],
  piped: 'text',
  run: async (context, input) => {
    check(input);
    const { expectEvents } = await import('../waiting/expect.ts');
    const { count = 1, within = 10_000, forwardTo, answer } = input;
    const handed = forwardTo === undefined ? undefined : { url: await meant(context, forwardTo), forwardTo, answer };
    return { code: await expectEvents(context, { ...input, count, within, handed }) };
  },
  view: () => '',
  exit: ({ code }) => code,
});

async function meant(context: Context, forwardTo: string): Promise<URL> {
  const { forwardUrl } = await import('../../webhooks/forward/routes.ts');
  const url = forwardUrl(forwardTo);
  await requireMeant(context, [url], () => 'Send events');
  return url;
}

function check({ words, forwardTo, answer }: Input<typeof params>): void {
  const [program] = words;
  if (program === undefined) {
    throw usage('no command is given', 'write it after --: bizmsg webhooks expect message.delivered -- npm test');
  }
  if (program === '') throw usage('the command is empty', 'is a variable not set?');
  if (answer && forwardTo === undefined) throw usage('--answer is about a handler', 'name it with --forward-to');
}

function atLeastOne(text: string): number {
  const number = count(text);
  if (number > 0) return number;
  throw usage('--count 0 expects nothing', 'give 1 or more');
}

function statuses(text: string) {
  if (!/^[1-5](?:xx|\d\d)$/.test(text)) throw usage(`"${text}" is not an HTTP status`, 'use 2xx, or one such as 204');
  const wanted = text.replace('xx', '');
  return { text, holds: (status: number) => String(status).startsWith(wanted) };
}
