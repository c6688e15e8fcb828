import type { Context } from '../../cli/command.ts';
import type { Input } from '../../cli/params.ts';
import { usage } from '../../base/errors.ts';
import type { Filter } from '../../webhooks/event/filters.ts';
import type { Routes } from '../../webhooks/forward/routes.ts';
import type { ListeningOptions } from '../../webhooks/listen.ts';
import { requireMeant } from './consent.ts';
import type { listenParams } from './listen-params.ts';

const usualPort = 4781;

type Given = Input<typeof listenParams>;

/** How events are received; what is wrong with the command line is said before anything begins. */
export async function receptionOf(context: Context, given: Given): Promise<Omit<ListeningOptions, 'secrets'>> {
  checkForm(context);
  const { port = usualPort, host, path, respond, allowWebPages } = given;
  const { stateFolder, process } = await context.sandboxes();
  const addresses = await ownAddresses();
  return {
    ...process,
    stateFolder,
    port,
    host,
    path,
    status: respond,
    allowWebPages,
    warn: (text) => context.note('webhooks', text),
    filter: await filterOf(given),
    forward: { routes: await routesIn(context, given, { port, addresses }), retry: given.retry },
    addresses,
  };
}

/** Rows of events and of what came of them have no columns in common. */
function checkForm({ given: { output, json } }: Context): void {
  if (!json && [undefined, 'ndjson', 'table'].includes(output)) return;
  throw usage(`webhooks listen cannot print ${output ?? 'json'}, as it goes on`, 'use -o ndjson');
}

async function filterOf({ events, where }: Given): Promise<Filter> {
  const { byField, byName, passing } = await import('../../webhooks/event/filters.ts');
  return passing([...(events === undefined ? [] : [byName(events)]), ...where.map(byField)]);
}

async function routesIn(
  context: Context,
  given: Given,
  { port, addresses }: { readonly port: number; readonly addresses: readonly string[] },
): Promise<Routes> {
  const { forwardTo, route, retry } = given;
  const [{ isHere, routesOf }, { refuseItself }] = await Promise.all([
    import('../../webhooks/forward/routes.ts'),
    import('../../webhooks/forward/routes.ts'),
  ]);
  const routes = routesOf(route, forwardTo);
  await refuseIdle(given);
  if (retry && routes.all.length === 0) throw usage('--retry needs --forward-to or --route', 'nothing is forwarded');
  refuseItself(routes, port, addresses);
  await requireMeant(context, routes.all, () => 'Forward events');
  for (const { host } of routes.all.filter((url) => !isHere(url)))
    context.note('forward-outside', `events are forwarded to ${host}, which is not this machine`);
  return routes;
}

/** A route that nothing can take is a mistake in it, or in --events. */
async function refuseIdle({ events, route }: Given): Promise<void> {
  if (events === undefined) return;
  const { idleWords } = await import('../../webhooks/event/filters.ts');
  const [idle] = route.flatMap((one) => idleWords(one.slice(0, one.indexOf('=')), events));
  if (idle !== undefined) throw usage(`--route has ${idle}, which --events leaves out`, 'add it to --events');
}

async function ownAddresses(): Promise<readonly string[]> {
  const { networkInterfaces } = await import('node:os');
  return Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));
}
