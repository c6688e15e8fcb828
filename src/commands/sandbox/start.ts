import { ReadableStream } from 'node:stream/web';
import { type CliError, usage } from '../../base/errors.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { untilAborted } from '../../base/sleep.ts';
import { type Context, streaming, type Ui } from '../../cli/command.ts';
import { counted } from '../../cli/output/figures.ts';
import { choice, duration, flag, type Input, option, port } from '../../cli/params.ts';
import { planNames } from '../../contract/plans.ts';
import type { Locator } from '../../sandbox/remote/locator.ts';
import type { Happened } from '../../sandbox/rows.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { onlyLocal } from '../../session/caller.ts';
import { isInBackground } from '../../session/sandboxes.ts';
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
  details: [
    'On a terminal it prints how to call it, then each request and event as it happens. With --background it',
    'returns once the sandbox is ready. With -o ndjson, the first line has its address.',
  ].join('\n'),
  params,
  examples: ['sandbox start', 'sandbox start --background --plan starter', 'sandbox start --ephemeral --idle 10m'],
  sample: 'Ready http://127.0.0.1:4780 (press Ctrl-C to stop)\nStopped http://127.0.0.1:4780',
  accepts: ['output'],
  piped: 'text',
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
  line: (item, ui) => {
    if (item.type === 'ready') return readyLine(item, ui);
    return item.type === 'request' ? requestLine(item, ui) : eventLine(item, ui);
  },
  view: ({ url, ended }, ui) => `${ended === 'ready' ? ui.color.green('Ready') : 'Stopped'} ${url}`,
});

interface Ready {
  readonly type: 'ready';
  readonly url: string;
  readonly port: number;
  /** The link of the page, with the token. */
  readonly page: string;
  /** The shell command that lets others call it; it has no key. */
  readonly call?: string;
}

interface Ended {
  readonly url: string;
  readonly ended: 'ready' | 'stopped' | 'idle' | 'interrupted';
}

function readyLine({ url, call, page }: Ready, { color }: Ui): string {
  const ready = `${color.green('Ready')} ${url} (press Ctrl-C to stop)`;
  if (call === undefined) return ready;
  return `${ready}\nTo see it in a browser:\n  ${page}\nTo call it from another terminal:\n  ${color.bold(call)}\n\n`;
}

async function start(context: Context, input: Input<typeof params>) {
  const { port, plan, idle, ephemeral } = input;
  const { host } = context;
  const background = isInBackground(host.env);
  const [{ createSandbox }, { serve }, { defaultData }, { logFile, rotate }, { createNotes }] = await Promise.all([
    import('../../sandbox/sandbox.ts'),
    import('../../sandbox/serve.ts'),
    import('../../sandbox/remote/locator.ts'),
    import('../../sandbox/remote/start.ts'),
    import('../../webhooks/throttled-warnings.ts'),
  ]);
  const stateFolder = context.stateFolder();
  const note = createNotes((text) => {
    // stderr is the log then.
    if (background) rotate(logFile(stateFolder));
    context.note('sandbox', text);
  }, host.now);
  // Clients can cause the same warning with each request.
  const warn = (text: string) => note(text, text);
  return serve({
    host,
    build: __BUILD__,
    sandbox: (file) => createSandbox({ plan, external: !onlyLocal(host.env), warn, file }),
    stateFolder,
    data: ephemeral ? null : defaultData(stateFolder),
    port,
    idle: idle ?? (background ? undefined : Infinity),
    background,
    words: wordsOf(input),
    warn,
  });
}

/** Refuses options that a running sandbox does not have. */
async function inBackground(context: Context, input: Input<typeof params>, contents?: object): Promise<Ended> {
  if (input.ephemeral) {
    const hint = 'leave out --background, and let the shell run it: bizmsg sandbox start … &';
    throw usage('--ephemeral and --background exclude each other', hint);
  }
  const sandboxes = await context.sandboxes();
  const words = wordsOf(input);
  const running = await sandboxes.find();
  if (running) throw await alreadyRuns(running, words);
  const locator = await sandboxes.ensure(words);
  // Another command may have started it.
  if (!isStartedWith(locator, words)) throw await alreadyRuns(locator, words);
  await fill(locator, contents);
  const minutes = counted((input.idle ?? 30 * 60_000) / 60_000, 'minute');
  context.note('idle', `it stops after ${minutes} without a request, and starts again on demand`);
  return { url: locator.url, ended: 'ready' };
}

/** The options that are compared with those of a running sandbox. */
function wordsOf({ port, plan, idle }: Input<typeof params>): readonly string[] {
  const options = Object.entries({ port, plan, idle: idle && `${idle}ms` });
  return options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
}

function isStartedWith({ background, words }: Locator, wanted: readonly string[]): boolean {
  return background && words.join('\n') === wanted.join('\n');
}

async function alreadyRuns(locator: Locator, wanted: readonly string[]): Promise<CliError> {
  const { alreadyRunning } = await import('../../sandbox/serve.ts');
  const { url, background, words } = locator;
  if (!background || isStartedWith(locator, wanted)) return alreadyRunning(url);
  const [theirs, ours] = [words, wanted].map((all) => all.map(shellQuote).join(' ') || 'no options');
  return alreadyRunning(`${url}, started with ${theirs}, not with ${ours}`);
}

async function fill(locator: Locator, contents: object | undefined): Promise<void> {
  if (contents) await (await remoteOf(locator)).ask('seed', contents);
}

/** Yields requests and events as they happen, until the end. */
async function* happenings(
  { watch }: Pick<Sandbox, 'watch'>,
  end: Promise<unknown>,
): AsyncGenerator<readonly Happened[], void> {
  let isOver = false;
  const stream = new ReadableStream<Happened>({
    start(controller) {
      watch((happened) => {
        if (!isOver) controller.enqueue(happened);
      });
      void end.then(() => {
        isOver = true;
        return controller.close();
      });
    },
  });
  for await (const happened of stream) yield [happened];
}
