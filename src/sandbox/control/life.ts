import type { ControlRoute, Controlled } from './route.ts';

export const lifeRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/status', run: status },
  { method: 'GET', path: '/env', run: env },
  { method: 'POST', path: '/stop', run: stop },
];

function status({ sandbox, url, pid, build, data, uptime }: Controlled): object {
  const { shape } = sandbox;
  const faults = sandbox.faults.list().filter(({ active }) => active).length;
  const plan = sandbox.plan();
  return { url, pid, uptime_ms: uptime(), build, data, plan, shape, counts: sandbox.counts(), faults };
}

function env({ sandbox, url }: Controlled): object {
  const { keys } = sandbox;
  return { url, keys: { sandbox: keys.sandbox, live: keys.live }, secret: sandbox.secret() };
}

function stop({ stop }: Controlled): object {
  stop();
  return { stopping: true };
}
