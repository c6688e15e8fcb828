import { shellQuote } from '../../base/shell-quote.ts';
import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { isRow } from '../../cli/output/rows.ts';

export const sandboxStatus = command({
  name: 'status',
  summary: 'Show the sandboxes that run on this machine',
  details: [
    'Queued are events for which there was no webhook; waiting are deliveries that have yet to be',
    'attempted, or attempted again.',
  ].join('\n'),
  params: {},
  examples: ['sandbox status', 'sandbox status -o json'],
  sample:
    'url\tpid\tplan\tshape\tuptime_s\t…\tmessages\tevents\tqueued\twaiting\tdata\nhttp://127.0.0.1:4780\t29083\tenterprise\tdefault\t1\t…\t1\t2\t0\t0\t…',
  honours: [...printing],
  piped: 'rows',
  run: async (context) => {
    const sandboxes = await context.sandboxes();
    return Promise.all(sandboxes.meant().map(async (locator) => row(await (await sandboxes.remote(locator)).status())));
  },
  view: () => 'No sandbox is running; one starts on demand with --profile local',
});

/** What fits a line: the plan by name, the counts each by their own. */
function row({ url, pid, plan, shape, uptime_ms: uptime, counts, faults, data }: Readonly<Record<string, unknown>>) {
  const name = isRow(plan) ? plan['name'] : plan;
  return {
    url,
    pid,
    plan: name,
    shape,
    uptime_s: Math.round(Number(uptime) / 1000),
    ...(isRow(counts) ? counts : {}),
    // Only then, since it is a state that nobody wants to forget.
    ...(faults === 0 ? {} : { faults }),
    data,
  };
}

export const stopSandbox = command({
  name: 'stop',
  summary: 'Stop the sandboxes that run on this machine',
  params: {},
  examples: ['sandbox stop'],
  sample: 'Stopped http://127.0.0.1:4780',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context) => {
    const sandboxes = await context.sandboxes();
    const running = sandboxes.meant();
    await Promise.all(running.map(async (locator) => (await sandboxes.remote(locator)).stop()));
    return { stopped: running.map(({ url }) => url) };
  },
  view: ({ stopped }, ui) => {
    if (stopped.length === 0) return 'No sandbox was running';
    return stopped.map((url) => `${ui.color.green('Stopped')} ${url}`).join('\n');
  },
});

export const sandboxEnv = command({
  name: 'env',
  summary: 'Print the environment that calls the sandbox, for eval or an .env file',
  details: "This is the one place that prints the sandbox's keys in full. It starts the sandbox if none runs.",
  params: {},
  examples: ['sandbox env', 'sandbox env -o json'],
  sample:
    'export BIZMSG_BASE_URL=http://127.0.0.1:4780\nexport BIZMSG_API_KEY=sk_test_local-…\nexport BIZMSG_WEBHOOK_SECRET=whsec_…',
  honours: [...printing],
  piped: 'text',
  run: async (context) => {
    const sandboxes = await context.sandboxes();
    const locator = await sandboxes.ensure();
    const { keys, secret } = await (await sandboxes.remote(locator)).env();
    return { BIZMSG_BASE_URL: locator.url, BIZMSG_API_KEY: keys.sandbox, BIZMSG_WEBHOOK_SECRET: secret };
  },
  view: (variables) =>
    Object.entries(variables)
      .map(([name, value]) => `export ${name}=${shellQuote(value)}`)
      .join('\n'),
});
