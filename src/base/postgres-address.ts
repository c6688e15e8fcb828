import { usage } from './errors.ts';
import { hasValidCodes } from './percent-codes.ts';

/** Where a PostgreSQL server is. */
export interface Address {
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  /** False without encryption. */
  readonly ssl: false | 'prefer' | { readonly host: string; readonly rejectUnauthorized: boolean };
  /** For people: without the password. */
  readonly name: string;
}

const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** Reads the URL of a database, such as `postgres://user:password@host/name`. */
export function addressOf(text: string): Address {
  if (!/^postgres(?:ql)?:\/\/[^/?#]/i.test(text) || !URL.canParse(text))
    throw usage('this is not the URL of a PostgreSQL database', 'such as postgres://bizmsg@db.example.com/bizmsg');
  const url = new URL(text);
  if (!isEscaped(url)) {
    const hint = 'write the characters @ / ? # % of a password as %40 %2F %3F %23 %25';
    throw usage('the URL of the database has a character that must be escaped', hint);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isLoopback = /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/.test(host);
  const mode = url.searchParams.get('sslmode') ?? (isLoopback ? 'disable' : 'verify-full');
  if (!modes.includes(mode)) throw usage(`sslmode must be one of ${modes.join(', ')}, not "${mode}"`);
  // The server would refuse them.
  for (const name of ['sslmode', 'channel_binding']) url.searchParams.delete(name);
  const port = url.port === '' ? 5432 : Number(url.port);
  return { url, host, port, ssl: encryption(mode, host), name: `${url.hostname}:${port}${url.pathname}` };
}

/** Otherwise a part of the password would be in another part of the URL, which is shown. */
function isEscaped({ username, password, pathname, search, hash }: URL): boolean {
  return (
    hasValidCodes([username, password, pathname].join('/')) &&
    hash === '' &&
    !search.includes('@') &&
    /^\/?[^/@]*$/.test(pathname)
  );
}

/** Named explicitly, the host is checked even if it is an IP address, and NODE_TLS_REJECT_UNAUTHORIZED does not count. */
function encryption(mode: string, host: string): Address['ssl'] {
  if (mode === 'disable') return false;
  return mode === 'prefer' ? mode : { host, rejectUnauthorized: mode.startsWith('verify') };
}
