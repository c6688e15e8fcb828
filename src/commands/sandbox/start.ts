import type { Context } from '../../cli/command.ts';
import { streaming } from '../../cli/command.ts';
import { choice, flag, option } from '../../cli/params.ts';
import type { Input } from '../../cli/params.ts';
import { count, duration } from '../../cli/values.ts';
import type { PlanName } from '../../contract/plans.ts';
import { usage } from '../../errors.ts';

const planNames: readonly PlanName[] = ['starter', 'growth', 'scale', 'enterprise'];

const params = {
  background: flag('--background', 'return when it is ready, and leave it running'),
  port: option('--port <port>', 'the port (4780, or the next that is free)', port),
  plan: choice('--plan <name>', "practise a plan's limits", planNames),
  shape: option('--shape <shape>', 'the shape of its answers: default, bare or vary:SEED', shape),
  rng: option('--rng <seed>', 'the same seed gives the same ids and delays'),
  idle: option('--idle <duration>', 'end after this long without a request (30m in the background)', duration),
  ephemeral: flag('--ephemeral', 'a sandbox apart, which --profile local does not mean'),
  onDemand: flag('--on-demand', 'as a command starts it that finds none'),
} as const;

export const startSandbox = streaming({
  name: 'start',
  summary: 'Start a sandbox in the foreground, until Ctrl-C',
  details: 'With --background it returns once the sandbox is ready. With -o ndjson the first line says where it is.',
  params,
  examples: ['sandbox start --idle 1s', 'sandbox start --background --plan starter'],
  sample: 'Ready http://127.0.0.1:4780 (Ctrl-C stops it)',
  honours: ['output'],
  piped: 'text',
  async *run(context, input) {
    if (input.background) return { url: await inBackground(context, input), ended: 'ready' };
    const served = await start(context, input);
    const { url, port } = served.locator;
    try {
      yield { type: 'ready', url, port } as const;
      return { url, ended: await Promise.race([served.ending, interrupted(context.signal)]) };
    } finally {
      await served.close();
    }
  },
  line: ({ url }, ui) => `${ui.color.green('Ready')} ${url} (Ctrl-C stops it)`,
  view: ({ url, ended }, ui) => `${ended === 'ready' ? ui.color.green('Ready') : 'Stopped'} ${url}`,
});

async function start(
  context: Context,
  { port, plan, shape, rng: seed, idle, ephemeral, onDemand }: Input<typeof params>,
) {
  const [{ createSandbox }, { serve }, { defaultData }, sandboxes] = await Promise.all([
    import('../../sandbox/sandbox.ts'),
    import('../../sandbox/serve.ts'),
    import('../../sandbox/locator.ts'),
    context.sandboxes(),
  ]);
  const warn = (text: string) => context.note('sandbox', text);
  const { stateFolder, process } = sandboxes;
  return serve({
    ...process,
    sandbox: createSandbox({ plan, shape, seed, warn }),
    stateFolder,
    data: ephemeral ? null : defaultData(stateFolder),
    port,
    idle: idle ?? (onDemand ? undefined : Infinity),
    background: onDemand,
    warn,
  });
}

async function inBackground(
  context: Context,
  { port, plan, shape, rng, idle, ephemeral }: Input<typeof params>,
): Promise<string> {
  const sandboxes = await context.sandboxes();
  const running = sandboxes.find();
  if (ephemeral) throw usage('--ephemeral and --background exclude each other');
  if (running) throw (await import('../../sandbox/serve.ts')).alreadyRunning(running.url);
  const given = Object.entries({ port, plan, shape, rng, idle: idle && `${idle}ms` });
  const words = given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
  return (await sandboxes.ensure(words)).url;
}

function interrupted(signal: AbortSignal): Promise<'interrupted'> {
  return new Promise((resolve) => {
    // Perhaps while it was starting.
    if (signal.aborted) resolve('interrupted');
    signal.addEventListener('abort', () => resolve('interrupted'), { once: true });
  });
}

function port(text: string): number {
  const number = count(text);
  if (number <= 65_535) return number;
  throw usage(`"${text}" is not a port`, 'ports go up to 65535, and 0 takes any that is free');
}

function shape(text: string): string {
  if (/^(default|bare|vary:.+)$/.test(text)) return text;
  throw usage(`"${text}" is not a shape`, 'use default, bare or vary:SEED');
}
