import { TransformStream } from 'node:stream/web';
import { usage } from '../../base/errors.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { untilAborted } from '../../base/sleep.ts';
import { command, type Context, streaming, type Ui } from '../../cli/command.ts';
import { counted } from '../../cli/output/figures.ts';
import { choice, duration, flag, type Input, option, port } from '../../cli/params.ts';
import { planNames } from '../../contract/plans.ts';
import { defaultData, type Locator } from '../../sandbox/remote/locator.ts';
import type { Happened } from '../../sandbox/watch.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { onlyLocal } from '../../session/caller.ts';
import { isInBackground } from '../../session/sandboxes.ts';
import { createNotes } from '../../webhooks/throttled-warnings.ts';
import { contentsIn } from './contents.ts';
import { remoteOf } from './control.ts';
import { eventLine, requestLine } from './lines.ts';
import { pageLink } from './env.ts';

export const planOption = choice('--plan <name>', 'the plan, for its limits (default: enterprise)', planNames);

const params = {
  background: flag('--background', 'return when it is ready, and leave it running'),
  port: option('--port <port>', 'the port (default: 4780, or the next free one)', port),
  plan: planOption,
  idle: option(
    '--idle <duration>',
    'stop after this long without a request (default in the background: 30m)',
    duration,
  ),
  ephemeral: flag('--ephemeral', 'use a temporary sandbox that is not saved (separate from --profile local)'),
  seedFile: option('--seed-file <file>', 'load this file first, in the format of sandbox seed'),
} as const;

export const startSandbox = streaming({
  name: 'start',
  summary: 'Start the sandbox, in the foreground until Ctrl-C',
  details: `On a terminal it prints how to call it, then each request and event as it happens. With --background it
    returns once the sandbox is ready. With -o ndjson, the first line has its address.`,
  params,
  examples: ['sandbox start', 'sandbox start --background --plan starter', 'sandbox start --ephemeral --idle 10m'],
  accepts: ['output'],
  async *run(context, input): AsyncGenerator<readonly (Ready | Happened)[], Ended> {
    const contents = input.seedFile === undefined ? undefined : await contentsIn(context, input.seedFile);
    if (input.background && !isInBackground(context.host.env)) return inBackground(context, input, contents);
    const { sandbox, locator, ending, close } = await start(context, input);
    const { url, port } = locator;
    try {
      await fill(locator, contents);
      const end = Promise.race([ending, untilAborted(context.host.signal).then(() => 'interrupted' as const)]);
      const isWatched = context.showsLines && context.host.stdout.isTTY;
      const call = `eval "$(bizmsg sandbox env${input.ephemeral ? ` --url ${url}` : ''})"`;
      yield [{ type: 'ready', url, port, page: pageLink(locator), ...(isWatched && { call }) } as const];
      if (isWatched) yield* happenings(sandbox, end);
      else if (input.ephemeral && context.given.output === undefined) context.note('call', `to call it: ${call}`);
      return { url, ended: await end };
    } finally {
      await close();
    }
  },
  line: itemLine,
  view: ({ url, ended }, ui) => `${ended === 'ready' ? ui.color.green('Ready') : 'Stopped'} ${url}`,
});

interface Ready extends Pick<Locator, 'url' | 'port'> {
  readonly type: 'ready';
  /** The link of the page, with the token. */
  readonly page: string;
  /** The shell command that lets others call it; it has no key. */
  readonly call?: string;
}

interface Ended extends Pick<Locator, 'url'> {
  readonly ended: 'ready' | 'stopped' | 'idle' | 'interrupted';
}

function itemLine(item: Ready | Happened, ui: Ui): string {
  if (item.type === 'event') return eventLine(item, ui);
  if (item.type === 'request') return requestLine(item, ui);
  const { url, page, call } = item;
  const ready = `${ui.color.green('Ready')} ${url} (press Ctrl-C to stop)`;
  if (call === undefined) return ready;
  return `${ready}\nTo see it in a browser:\n  ${page}\nTo call it from another terminal:\n  ${ui.color.bold(call)}\n\n`;
}

async function start({ host, stateFolder, note }: Context, input: Input<typeof params>) {
  const { port, plan, idle, ephemeral } = input;
  const background = isInBackground(host.env);
  const [{ createSandbox }, { serve }] = await Promise.all([
    import('../../sandbox/sandbox.ts'),
    import('../../sandbox/serve.ts'),
  ]);
  // Clients can cause the same warning with each request.
  const throttled = createNotes((text) => note('sandbox', text), host.now);
  const warn = (text: string) => throttled(text, text);
  const folder = stateFolder();
  return serve({
    host,
    build: __BUILD__,
    sandbox: (file) => createSandbox({ plan, external: !onlyLocal(host.env), warn, file }),
    stateFolder: folder,
    data: ephemeral ? null : defaultData(folder),
    port,
    idle: idle ?? (background ? undefined : Infinity),
    background,
    words: wordsOf(input),
    warn,
  });
}

/** Refuses other options than those of a sandbox that runs already. */
async function inBackground(context: Context, input: Input<typeof params>, contents?: object): Promise<Ended> {
  if (input.ephemeral) {
    const hint = 'leave out --background, and let the shell run it: bizmsg sandbox start … &';
    throw usage('--ephemeral and --background exclude each other', hint);
  }
  const wanted = wordsOf(input);
  const running = await (await context.sandboxes()).ensure(wanted);
  const [theirs, ours] = [running.words, wanted].map((words) => words.map(shellQuote).join(' '));
  if (theirs !== ours || !running.background) {
    const { alreadyRunning } = await import('../../sandbox/serve.ts');
    const how = theirs === '' ? 'without options' : `with ${theirs}`;
    throw alreadyRunning(theirs === ours ? running.url : `${running.url}, started ${how}`);
  }
  await fill(running, contents);
  const minutes = counted((input.idle ?? 30 * 60_000) / 60_000, 'minute');
  context.note('idle', `it stops after ${minutes} without a request, and starts again on demand`);
  return { url: running.url, ended: 'ready' };
}

/** The options that are compared with those of a running sandbox. */
function wordsOf({ port, plan, idle }: Input<typeof params>): readonly string[] {
  const options = Object.entries({ port, plan, idle: idle && `${idle}ms` });
  return options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
}

async function fill(running: Locator, contents: object | undefined): Promise<void> {
  if (contents) await (await remoteOf(running)).ask('seed', contents);
}

/** Requests and events as they happen, until the end. */
async function* happenings(sandbox: Sandbox, end: Promise<unknown>): AsyncGenerator<readonly Happened[], void> {
  const { readable, writable } = new TransformStream<Happened, Happened>();
  const writer = writable.getWriter();
  sandbox.watch((happened) => void writer.write(happened).catch(() => {}));
  void end.then(() => writer.close());
  for await (const happened of readable) yield [happened];
}

export const sandboxStatus = command({
  name: 'status',
  summary: 'Show the sandboxes that run on this machine',
  details: 'Queued: events that no webhook was registered for. Waiting: deliveries still to be attempted or retried.',
  params: {},
  examples: ['sandbox status', 'sandbox status -o json'],
  piped: 'rows',
  first: ['url', 'pid', 'plan', 'uptime_s', 'messages', 'events', 'waiting'],
  run: async (context) => {
    const sandboxes = await (await context.sandboxes()).all();
    return Promise.all(
      sandboxes.map(async (running) => {
        const { url, pid, plan, uptime_ms, counts, faults, data } = await (await remoteOf(running)).ask('status');
        const uptime_s = Math.round(uptime_ms / 1_000);
        // The column appears only if there are faults, as a reminder.
        return { url, pid, plan: plan.name, uptime_s, ...counts, ...(faults > 0 && { faults }), data };
      }),
    );
  },
  view: () => 'No sandbox is running; --profile local starts one on demand',
});

export const stopSandbox = command({
  name: 'stop',
  summary: 'Stop the sandboxes that run on this machine',
  params: {},
  examples: ['sandbox stop'],
  changes: true,
  run: async (context) => {
    const sandboxes = await (await context.sandboxes()).all();
    await Promise.all(sandboxes.map(async (running) => (await remoteOf(running)).stop()));
    return { stopped: sandboxes.map(({ url }) => url) };
  },
  view: ({ stopped }, ui) => {
    if (stopped.length === 0) return 'No sandbox was running';
    return stopped.map((url) => `${ui.color.green('Stopped')} ${url}`).join('\n');
  },
});
