import { lookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import type { Conceal } from '../client/trace.ts';
import { failureOf } from '../client/failure.ts';
import { openTunnel } from '../client/probe.ts';
import { wireFailure } from '../client/wire.ts';
import { CliError } from '../base/errors.ts';
import { certificateCheck } from './certificate.ts';
import { type Check, checksOf } from './check.ts';
import { hostOf, isAddress, openSocket, shownBy } from './connections.ts';
import { interruptible } from './patience.ts';

const { pass, skip, fail, failed } = checksOf('network');

export interface Route {
  readonly baseUrl: string;
  readonly proxy: string | undefined;
  /** The variable that names the proxy. */
  readonly proxyNamedBy: string | undefined;
  /** All the authorities that are trusted; Node's own when undefined. */
  readonly ca: readonly string[] | undefined;
  readonly conceal: Conceal;
  readonly signal: AbortSignal;
  /** In milliseconds, for each step. */
  readonly patience: number;
  readonly now: () => number;
}

type Step = readonly [name: string, take: () => Promise<Check>];

/** The way to the service, step by step up to the first that fails. No request is sent. */
export async function networkChecks(route: Route): Promise<readonly Check[]> {
  const open: { destroy(): void }[] = [];
  const checks: Check[] = [];
  try {
    for (const [name, take] of stepsOf(route, (one) => open.push(one))) {
      const isOver = checks.some(({ status }) => status === 'fail');
      checks.push(isOver ? skip(name, 'not reached') : await taken(route, name, take));
    }
    return checks;
  } finally {
    // The last first: Node does not survive it when what it stands on is destroyed before.
    for (const one of open.reverse()) one.destroy();
  }
}

export function skippedNetwork(why: string): Check {
  return skip('connection', why);
}

/** The network cannot be looked at, since what tells the way is of no use. */
export function wayless(problem: CliError): readonly Check[] {
  const name = problem.code === 'proxy' ? 'proxy' : 'certificate';
  return [failed(name, problem), skip('connection', 'not reached')];
}

/** What the steps hand on. */
interface Way {
  readonly url: URL;
  socket?: Socket;
  readonly opened: (one: { destroy(): void }) => void;
}

function stepsOf(route: Route, opened: Way['opened']): readonly Step[] {
  const way: Way = { url: new URL(route.baseUrl), opened };
  const { proxy } = route;
  const outward: readonly Step[] =
    proxy === undefined
      ? [
          ['proxy', async () => pass('proxy', 'none')],
          ['name', () => nameStep(way)],
          ['connection', () => connectionStep(route, way)],
        ]
      : [['proxy', () => proxyStep(route, way, new URL(proxy))]];
  return [...outward, ['certificate', () => certificateStep(route, way)]];
}

async function proxyStep({ ca, now, proxyNamedBy }: Route, way: Way, proxy: URL): Promise<Check> {
  const start = now();
  way.socket = await openTunnel(way.url, proxy, ca && [...ca], way.opened);
  return pass('proxy', `${proxy.host} (${proxyNamedBy}) opens the way in ${now() - start} ms`);
}

async function connectionStep({ now }: Route, way: Way): Promise<Check> {
  const start = now();
  way.socket = await openSocket(way.url, way.opened);
  return pass('connection', `to ${way.url.host} in ${now() - start} ms`);
}

async function nameStep({ url }: Way): Promise<Check> {
  const host = hostOf(url);
  if (isAddress(host)) return pass('name', `${host} is an address, and needs none`);
  const [first, ...more] = await lookup(host, { all: true });
  return pass('name', `${host} is ${first?.address}${more.length > 0 ? ` and ${more.length} more` : ''}`);
}

async function certificateStep({ ca, now }: Route, { url, socket: under }: Way): Promise<Check> {
  if (url.protocol === 'http:' || !under) return pass('certificate', 'none, and none is needed on this machine');
  try {
    return certificateCheck(await shownBy(url, { under, ca }), now());
  } catch (error) {
    // What OpenSSL says is long, and tells little.
    const reason = /:SSL routines:[^:]*:([^:]+)/.exec(error instanceof Error ? error.message : '')?.[1];
    if (reason === undefined) throw error;
    return fail(
      'certificate',
      `none: ${url.host} speaks no TLS (${reason})`,
      'check the address and its port',
      'network',
    );
  }
}

async function taken(route: Route, name: string, take: () => Promise<Check>): Promise<Check> {
  const { signal, patience, baseUrl: url, conceal, proxy, proxyNamedBy } = route;
  try {
    const came = await interruptible(take(), { signal, patience });
    if (came !== 'late') return came;
    return failed(name, failureOf({ kind: 'late', sent: false, waited: patience }, { method: 'GET', url, conceal }));
  } catch (error) {
    if (error instanceof CliError) throw error;
    const failure = wireFailure(error, { sent: false, aborted: false });
    if (name !== 'proxy') return failed(name, failureOf({ kind: 'broken', failure }, { method: 'GET', url, conceal }));
    const message = `${new URL(proxy ?? '').host} opens no way to ${new URL(url).host}: ${failure.message}`;
    const remedy = `look at ${proxyNamedBy}, which names it, or go past it with NO_PROXY=${new URL(url).hostname}`;
    return failed(name, new CliError('network', 'proxy', message, { hint: remedy }));
  }
}
