import { command } from '../../cli/command.ts';
import { remoteOf } from './control.ts';

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
