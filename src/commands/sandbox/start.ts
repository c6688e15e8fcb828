import { onlyLocal } from '../../session/caller.ts';
import { isInBackground } from '../../session/sandboxes.ts';
import { type Context, streaming, type Ui } from '../../cli/command.ts';
import { counted } from '../../cli/output/figures.ts';
import { cell } from '../../cli/output/rows.ts';
import { choice, duration, flag, type Input, option, port } from '../../cli/params.ts';
import { planNames } from '../../contract/plans.ts';
import { type CliError, usage } from '../../base/errors.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { untilAborted } from '../../base/sleep.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Happened, HappenedEvent } from '../../sandbox/rows.ts';
import type { Locator } from '../../sandbox/remote/locator.ts';
import { contentsIn } from './contents.ts';
import { pageLink } from './status.ts';
import { remoteOf } from './control.ts';
import { requestLine, subjectOf } from './lines.ts';

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
  async *run(context, input): AsyncGenerator<readonly (Ready | LiveItem)[], Ended> {
    const contents = input.seedFile === undefined ? undefined : await contentsIn(context, input.seedFile);
    if (input.background && !isInBackground(context.host.env)) {
      const url = await inBackground(context, input, contents);
      const minutes = (input.idle ?? 30 * 60_000) / 60_000;
      context.note(
        'idle',
        `it stops after ${counted(minutes, 'minute')} without a request, and starts again on demand`,
      );
      return { url, ended: 'ready' };
    }
    const served = await start(context, input);
    const { url, port } = served.locator;
    const page = pageLink(served.locator);
    try {
      await fill(context, served.locator, contents);
      const end = Promise.race([served.ending, untilAborted(context.host.signal).then(() => 'interrupted' as const)]);
      const isWatched = context.showsLines && context.host.stdout.isTTY;
      const call = callLine(input, url);
      yield [{ type: 'ready', url, port, page, ...(isWatched && { call }) } as const];
      if (isWatched) yield* liveItems(served.sandbox, end);
      else if (input.ephemeral && context.given.output === undefined) context.note('call', `to call it: ${call}`);
      return { url, ended: await end };
    } finally {
      await served.close();
    }
  },
  line: (item, ui) => (item.type === 'ready' ? readyLine(item, ui) : liveLine(item, ui)),
  view: ({ url, ended }, ui) => `${ended === 'ready' ? ui.color.green('Ready') : 'Stopped'} ${url}`,
});

interface Ready {
  readonly type: 'ready';
  readonly url: string;
  readonly port: number;
  /** The link of the page, with the token. */
  readonly page: string;
  /** The shell command that lets others call it. */
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

/** Prints no key: the shell that runs it gets them. */
function callLine(input: Input<typeof params>, url: string): string {
  return `eval "$(bizmsg sandbox env${input.ephemeral ? ` --url ${url}` : ''})"`;
}

async function start(context: Context, input: Input<typeof params>) {
  const { port, plan, idle, ephemeral } = input;
  const background = isInBackground(context.host.env);
  const [{ createSandbox }, { serve }, { defaultData }, { logFile, rotate }, { createNotes }] = await Promise.all([
    import('../../sandbox/sandbox.ts'),
    import('../../sandbox/serve.ts'),
    import('../../sandbox/remote/locator.ts'),
    import('../../sandbox/remote/start.ts'),
    import('../../webhooks/throttled-warnings.ts'),
  ]);
  const stateFolder = context.stateFolder();
  const { host } = context;
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
    sandbox: (journal) => createSandbox({ plan, external: !onlyLocal(host.env), warn, journal }),
    stateFolder,
    data: ephemeral ? null : defaultData(stateFolder),
    port,
    idle: idle ?? (background ? undefined : Infinity),
    background,
    words: wordsOf(input),
    warn,
  });
}

async function inBackground(
  context: Context,
  input: Input<typeof params>,
  contents: object | undefined,
): Promise<string> {
  const sandboxes = await context.sandboxes();
  const running = sandboxes.find();
  if (input.ephemeral) {
    throw usage(
      '--ephemeral and --background exclude each other',
      'leave out --background, and let the shell run it: bizmsg sandbox start … &',
    );
  }
  const words = wordsOf(input);
  if (running) throw await notOurs(running, words);
  const locator = await sandboxes.ensure(words);
  // Another command may have started it.
  if (!isStartedWith(locator, words)) throw await notOurs(locator, words);
  await fill(context, locator, contents);
  return locator.url;
}

/** The options that are compared with those of a running sandbox. */
function wordsOf({ port, plan, idle }: Input<typeof params>): readonly string[] {
  const given = Object.entries({ port, plan, idle: idle && `${idle}ms` });
  return given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
}

function isStartedWith({ background, words = [] }: Locator, asked: readonly string[]): boolean {
  return background && words.join('\n') === asked.join('\n');
}

async function notOurs(locator: Locator, asked: readonly string[]): Promise<CliError> {
  const { alreadyRunning } = await import('../../sandbox/serve.ts');
  const { url, background, words = [] } = locator;
  if (!background || isStartedWith(locator, asked)) return alreadyRunning(url);
  const [theirs, ours] = [words, asked].map((all) => all.map(shellQuote).join(' ') || 'no options');
  return alreadyRunning(`${url}, started with ${theirs}, not with ${ours}`);
}

async function fill(context: Context, locator: Locator, contents: object | undefined): Promise<void> {
  if (contents) await (await remoteOf(context, locator)).ask('seed', contents);
}

/** The lines that a sandbox in the foreground prints as things happen. */
type LiveItem = Happened | { readonly type: 'left-out'; readonly count: number };

/** The most lines that are printed together; any others are only counted. */
const mostTogether = 1_000;

/** Yields what happens until the end; counts what it cannot keep up with. */
async function* liveItems(
  sandbox: Pick<Sandbox, 'watch'>,
  end: Promise<unknown>,
): AsyncGenerator<readonly LiveItem[], void> {
  let waiting: LiveItem[] = [];
  let [leftOut, isOver] = [0, false];
  let wake = () => {};
  sandbox.watch((happened) => {
    if (isOver) return;
    if (waiting.length < mostTogether) waiting.push(happened);
    else leftOut += 1;
    wake();
  });
  const stop = () => {
    isOver = true;
    wake();
  };
  void end.then(stop);
  for (;;) {
    if (waiting.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
    if (waiting.length === 0) return;
    const items: readonly LiveItem[] = leftOut > 0 ? [...waiting, { type: 'left-out', count: leftOut }] : waiting;
    [waiting, leftOut] = [[], 0];
    yield items;
  }
}

function liveLine(item: LiveItem, ui: Ui): string {
  if (item.type === 'request') return requestLine(item, ui);
  if (item.type === 'event') return eventLine(item, ui);
  return ui.color.dim(`… ${item.count} more; bizmsg sandbox requests and sandbox endpoints deliveries list them`);
}

function eventLine({ event: { type, at, data }, delivery }: HappenedEvent, ui: Ui): string {
  const time = ui.time(new Date(at).toISOString());
  const result = delivery ? outcome(delivery, ui) : [ui.color.dim('no webhook')];
  return ui.line([time, ui.color.bold(type), cell(subjectOf(data)), ...result]);
}

function outcome(delivery: NonNullable<HappenedEvent['delivery']>, ui: Ui): readonly string[] {
  const { state, last, url, attempts, next_at: next } = delivery;
  const took = attempts.at(-1)?.took;
  const result = `→ ${cell(last ?? state)}${took === undefined ? '' : ` in ${took} ms`}`;
  const more = next === null ? (state === 'dead' ? ['given up'] : []) : [`again at ${ui.time(next)}`];
  return [(state === 'delivered' ? ui.color.green : ui.color.red)(result), url ?? '', ...more];
}
