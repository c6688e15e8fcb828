import type { Context } from '../../cli/command.ts';
import type { Input } from '../../cli/params.ts';
import { usage } from '../../errors.ts';
import type { Filter } from '../../webhooks/filters.ts';
import type { Routes } from '../../webhooks/forward/routes.ts';
import type { ListeningOptions } from '../../webhooks/listen/listening.ts';
import type { listenParams } from './listen-params.ts';

const usualPort = 4781;

type Given = Input<typeof listenParams>;

/** How events are received; what is wrong with the command line is said before anything begins. */
export async function receptionOf(context: Context, given: Given): Promise<Omit<ListeningOptions, 'secrets'>> {
  checkForm(context);
  const { port = usualPort, host, path, respond } = given;
  const { stateFolder, process } = await context.sandboxes();
  return {
    ...process,
    stateFolder,
    port,
    host,
    path,
    status: respond,
    warn: (text) => context.note('webhooks', text),
    filter: await filterOf(given),
    forward: { routes: await routesIn(context, given, port), retry: given.retry },
  };
}

/** Rows of events and of what came of them have no columns in common. */
function checkForm({ given: { output, json } }: Context): void {
  if (!json && [undefined, 'ndjson', 'table'].includes(output)) return;
  throw usage(`webhooks listen cannot print ${output ?? 'json'}, as it goes on`, 'use -o ndjson');
}

async function filterOf({ events, where }: Given): Promise<Filter> {
  const { byField, byName, passing } = await import('../../webhooks/filters.ts');
  return passing([...(events === undefined ? [] : [byName(events)]), ...where.map(byField)]);
}

async function routesIn(context: Context, { forwardTo, route, retry }: Given, port: number): Promise<Routes> {
  const { routesOf } = await import('../../webhooks/forward/routes.ts');
  const routes = routesOf(route, forwardTo);
  if (retry && routes.all.length === 0) throw usage('--retry needs --forward-to or --route', 'nothing is forwarded');
  if (routes.all.some((url) => routes.isHere(url) && url.port === String(port)))
    throw usage(`port ${port} is this listener itself`, 'forward to another port');
  for (const { host } of routes.all.filter((url) => !routes.isHere(url)))
    context.note('forward-outside', `events are forwarded to ${host}, which is not this machine`);
  return routes;
}
