import { type Command, streaming } from '../../cli/command.ts';
import { itemLine } from './item-line.ts';
import { listenParams } from './listen-params.ts';
import { openListener } from './listener.ts';

const described = {
  name: 'listen',
  summary: 'Receive events on this machine, and show, record and forward them',
  details: [
    'With --profile local the events of the sandbox come here as long as this runs. Those of an account come',
    'through a public address that leads here. Every event is recorded and answered at once; webhooks',
    'history and webhooks show tell of it later. --events and --where choose what is shown and forwarded.',
    'What a web page in a browser sends is refused (403).',
    '',
    'What is forwarded has the bytes and headers that came, and one more, bizmsg-forwarded-by, by which a',
    'listener refuses what it has forwarded itself (508). Before it forwards to another machine it asks, or',
    'takes --yes.',
  ].join('\n'),
  params: listenParams,
  examples: [
    'webhooks listen --profile local',
    'webhooks listen --profile local --forward-to 3000/hooks --retry',
    'webhooks listen --events message.failed,order.paid --full',
    'webhooks listen --route order.paid=localhost:3000/paid -o ndjson',
  ],
  sample:
    'Ready http://127.0.0.1:4781 for the events of the sandbox …\n2026-…  e1fq8zk3m00  message.delivered  msg_…  +12025550101  signed\n…',
  honours: ['profile', 'mode', 'output'],
  piped: 'text',
} as const;

const listening = (isFull: boolean) =>
  streaming({
    ...described,
    async *run(context, input) {
      const listener = await openListener(context, input);
      try {
        yield listener.ready;
        yield* listener.items();
        return { type: 'ended' as const, url: listener.ready.url };
      } finally {
        await listener.close();
      }
    },
    line: (item, ui) => itemLine(item, ui, isFull),
    view: ({ url }) => `Stopped ${url}`,
    unprinted: () => 'bizmsg webhooks history shows the events',
  });

const [brief, full] = [listening(false), listening(true)];

export const listenForEvents: Command = {
  ...brief,
  run: (context, texts, emit) => (texts['full']?.length ? full : brief).run(context, texts, emit),
};
