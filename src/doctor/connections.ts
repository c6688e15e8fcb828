import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecurely, type TLSSocket } from 'node:tls';
import type { Shown } from './certificate.ts';

type Opened = (one: Pick<Socket, 'destroy'>) => void;

export function openSocket(url: URL, opened: Opened): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    const socket = connectPlain({ host: hostOf(url), port }, () => resolve(socket));
    opened(socket.on('error', reject));
  });
}

/** The certificate that a service shows. What is not trusted is looked at as well: nothing is sent to it. */
export function shownBy(url: URL, { under, ca }: { under: Socket; ca: readonly string[] | undefined }): Promise<Shown> {
  return new Promise((resolve, reject) => {
    const host = hostOf(url);
    const name = isAddress(host) ? {} : { servername: host };
    const trusted = ca && { ca: [...ca] };
    const socket = connectSecurely({ socket: under, host, ...name, ...trusted, rejectUnauthorized: false }, () => {
      resolve(shown(socket, url.host));
    });
    socket.on('error', reject);
  });
}

/** An IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function isAddress(host: string): boolean {
  return /^[\d.]+$|:/.test(host);
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

/** Node has it as a text, and types it as an error. */
function codeOf(why: unknown): string {
  if (why instanceof Error) return 'code' in why ? String(why.code) : why.message;
  return String(why);
}

/** Some have no name, and some have several. */
function nameIn(names: unknown): string {
  const { CN: common, O: organization }: Readonly<Record<string, unknown>> = { ...Object(names) };
  const name = [organization, common].flat().find((one) => typeof one === 'string' && one !== '');
  return typeof name === 'string' ? name.slice(0, 60) : 'somebody without a name';
}
