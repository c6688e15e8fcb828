import { lookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { CliError } from '../base/errors.ts';
import { counted, localDate } from '../cli/output/figures.ts';
import { errorFor } from '../client/failure.ts';
import {
  type Closable,
  hostOf,
  interruptible,
  isAddress,
  openSocket,
  openTunnel,
  secure,
} from '../client/can-connect.ts';
import type { Redactor } from '../base/redact.ts';
import { wireFailure } from '../client/wire.ts';
import { type Check, checksOf } from './check.ts';

const { pass, warn, skip, fail, failed } = checksOf('network');

export interface Route {
  readonly baseUrl: string;
  readonly proxy: string | undefined;
  /** The variable that names the proxy. */
  readonly proxyNamedBy: string | undefined;
  /** The trusted certificate authorities (default: Node's). */
  readonly ca: readonly string[] | undefined;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  /** In milliseconds, for each step. */
  readonly patience: number;
  readonly now: () => number;
}

type Step = readonly [name: string, take: () => Promise<Check>];

/** Checks the connection step by step, up to the first failure. Sends no request. */
export async function networkChecks(route: Route): Promise<readonly Check[]> {
  const open: Closable[] = [];
  const checks: Check[] = [];
  try {
    for (const [name, take] of stepsOf(route, (one) => open.push(one))) {
      const isOver = checks.some(({ status }) => status === 'fail');
      checks.push(isOver ? skip(name, 'not reached') : await runStep(route, name, take));
    }
    return checks;
  } finally {
    // In reverse order: Node crashes if the socket below a TLS socket is destroyed first.
    for (const one of open.reverse()) one.destroy();
  }
}

export function skippedNetwork(why: string): Check {
  return skip('connection', why);
}

/** The result if the proxy or certificate settings are invalid. */
export function routeFailure(problem: CliError): readonly Check[] {
  const name = problem.code === 'proxy' ? 'proxy' : 'certificate';
  return [failed(name, problem), skip('connection', 'not reached')];
}

/** State that the steps share. */
interface State {
  readonly url: URL;
  socket?: Socket;
  readonly opened: (one: Closable) => void;
}

function stepsOf(route: Route, opened: State['opened']): readonly Step[] {
  const state: State = { url: new URL(route.baseUrl), opened };
  const { proxy } = route;
  const outward: readonly Step[] =
    proxy === undefined
      ? [
          ['proxy', async () => pass('proxy', 'none')],
          ['name', () => nameStep(state)],
          ['connection', () => connectionStep(route, state)],
        ]
      : [['proxy', () => proxyStep(route, state, new URL(proxy))]];
  return [...outward, ['certificate', () => certificateStep(route, state)]];
}

async function proxyStep({ ca, now, proxyNamedBy }: Route, state: State, proxy: URL): Promise<Check> {
  const start = now();
  state.socket = await openTunnel(state.url, proxy, ca, state.opened);
  return pass('proxy', `${proxy.host} (${proxyNamedBy}), tunnel opened in ${now() - start} ms`);
}

async function connectionStep({ now }: Route, state: State): Promise<Check> {
  const start = now();
  state.socket = await openSocket(state.url, state.opened);
  return pass('connection', `to ${state.url.host} in ${now() - start} ms`);
}

async function nameStep({ url }: State): Promise<Check> {
  const host = hostOf(url);
  if (isAddress(host)) return pass('name', `not needed for ${host}`);
  const [first, ...more] = await lookup(host, { all: true });
  return pass('name', `${host} is ${first?.address}${more.length > 0 ? ` and ${more.length} more` : ''}`);
}

async function certificateStep({ ca, now }: Route, { url, opened, socket: under }: State): Promise<Check> {
  if (url.protocol === 'http:' || !under) return pass('certificate', 'not used (local)');
  try {
    return certificateCheck(shown(await secure(url, { under, ca, opened, trustsAll: true }), url.host), now());
  } catch (error) {
    // Extract the reason from OpenSSL's long message.
    const reason = /:SSL routines:[^:]*:([^:]+)/.exec(error instanceof Error ? error.message : '')?.[1];
    if (reason === undefined) throw error;
    return fail(
      'certificate',
      `none: ${url.host} does not support TLS (${reason})`,
      'check the address and its port',
      'network',
    );
  }
}

async function runStep(route: Route, name: string, take: () => Promise<Check>): Promise<Check> {
  const { signal, patience, baseUrl: url, redactor, proxy, proxyNamedBy } = route;
  try {
    const came = await interruptible(take(), { signal, patience });
    if (came !== 'late') return came;
    return failed(name, errorFor({ kind: 'late', sent: false, waited: patience }, { method: 'GET', url, redactor }));
  } catch (error) {
    if (error instanceof CliError) throw error;
    const failure = wireFailure(error, { sent: false, aborted: false });
    if (name !== 'proxy') return failed(name, errorFor({ kind: 'broken', failure }, { method: 'GET', url, redactor }));
    const message = `${new URL(proxy ?? '').host} cannot reach ${new URL(url).host}: ${failure.message}`;
    const remedy = `check ${proxyNamedBy}, or bypass it with NO_PROXY=${new URL(url).hostname}`;
    return failed(name, new CliError('network', 'proxy', message, { hint: remedy }));
  }
}

function shown(socket: TLSSocket, host: string): Shown {
  const { subject, issuer, valid_to: until } = socket.getPeerCertificate();
  const why: unknown = socket.authorizationError;
  return {
    host,
    fault: socket.authorized ? undefined : codeOf(why),
    subject: nameIn(subject),
    issuer: nameIn(issuer),
    until: Date.parse(until),
  };
}

/** Node types it as an error, but it is a string. */
function codeOf(why: unknown): string {
  if (why instanceof Error) return 'code' in why ? String(why.code) : why.message;
  return String(why);
}

/** The organization or common name of a certificate. */
function nameIn(names: unknown): string {
  const { CN: common, O: organization }: Readonly<Record<string, unknown>> = { ...Object(names) };
  const name = [organization, common].flat().find((one) => typeof one === 'string' && one !== '');
  return typeof name === 'string' ? name.slice(0, 60) : 'an unnamed issuer';
}

/** A certificate and whether Node trusts it. */
interface Shown {
  readonly host: string;
  /** Node's error code if it is not trusted. */
  readonly fault: string | undefined;
  readonly subject: string;
  readonly issuer: string;
  /** Expiry in milliseconds. */
  readonly until: number;
}

const day = 24 * 60 * 60 * 1000;
/** Days before expiry at which to warn. */
const soon = 14;

export function certificateCheck(shown: Shown, now: number): Check {
  const { fault, issuer, until } = shown;
  if (fault !== undefined) return untrusted(shown, fault);
  const left = Math.floor((until - now) / day);
  const message = `by ${issuer}, valid for ${counted(left, 'day')}`;
  return left < soon
    ? warn('certificate', message, `the operator of ${shown.host} must renew it`)
    : pass('certificate', message);
}

function untrusted({ host, subject, issuer, until }: Shown, fault: string): Check {
  const date = Number.isNaN(until) ? '' : ` on ${localDate(until)}`;
  const failure = (message: string, remedy: string) => fail('certificate', message, remedy, 'network');
  const own = 'add --ca-file FILE to every command, or set NODE_EXTRA_CA_CERTS=FILE';
  if (fault === 'CERT_HAS_EXPIRED')
    return failure(`expired${date}`, `the operator of ${host} must renew it; is this machine's clock right?`);
  if (fault === 'CERT_NOT_YET_VALID') return failure('it is not valid yet', "is this machine's clock right?");
  if (fault === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return failure(`it is for ${subject}, not for ${host}`, 'check the base URL');
  if (fault === 'DEPTH_ZERO_SELF_SIGNED_CERT')
    return failure(
      `self-signed by ${subject}, which this machine does not trust`,
      `if you trust it, save it as FILE, and ${own}`,
    );
  if (fault === 'SELF_SIGNED_CERT_IN_CHAIN' || fault.startsWith('UNABLE_TO'))
    return failure(
      `signed by ${issuer}, which this machine does not trust`,
      `if it is your own authority, save its certificate as FILE, and ${own}`,
    );
  return failure(`it is not trusted: ${fault}`, `if it is your own, ${own}`);
}
