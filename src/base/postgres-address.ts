import { usage } from './errors.ts';

/** Where a PostgreSQL server is, and how to connect to it. */
export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly sslmode: SslMode;
  /** A file of certificate authorities; `system` and undefined mean those that Node trusts. */
  readonly sslrootcert: string | undefined;
  readonly applicationName: string;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Settings of the session, such as `-c search_path=x`. */
  readonly options: string | undefined;
}

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof sslModes)[number];

const example = 'such as postgres://bizmsg@db.example.com/bizmsg';

/** Reads a URL such as libpq understands. Neither variables nor files of PostgreSQL change it. */
export function postgresAddress(text: string): PostgresAddress {
  if (!/^postgres(?:ql)?:\/\/[^/?#]/i.test(text) || /[^!-~]/.test(text) || !URL.canParse(text))
    throw usage('this is not the URL of a PostgreSQL database', example);
  const url = new URL(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const user = decoded(url.username);
  if (host === '' || host.includes(',')) throw usage('the URL must name one server', example);
  if (user === '') throw usage('the URL names no user', example);
  const { sslmode, sslrootcert, ...settings } = settingsIn(url.searchParams);
  const isLoopback = host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
  const usual = isLoopback && sslrootcert === undefined ? 'disable' : 'verify-full';
  return {
    host: decoded(host),
    port: url.port === '' ? 5432 : Number(url.port),
    user,
    password: decoded(url.password),
    database: decoded(url.pathname.slice(1)) || user,
    sslrootcert: sslrootcert === 'system' ? undefined : sslrootcert,
    // As in libpq: with a file, `require` verifies the authority.
    sslmode: sslmode === 'require' && sslrootcert !== undefined ? 'verify-ca' : (sslmode ?? usual),
    ...settings,
  };
}

/** The server and the database, without the password. */
export function shownAddress({ host, port, database }: PostgresAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
}

function settingsIn(given: URLSearchParams) {
  const known = new Map(given);
  const take = (name: string) => {
    const value = known.get(name);
    known.delete(name);
    return value;
  };
  const sslmode = take('sslmode');
  const seconds = take('connect_timeout') ?? '10';
  if (!/^[1-9]\d{0,3}$/.test(seconds)) throw usage('connect_timeout must be a number of seconds');
  if (take('channel_binding') === 'require')
    throw usage('channel_binding=require is not supported', 'use sslmode=verify-full');
  const settings = {
    sslmode: sslModes.find((mode) => mode === sslmode),
    sslrootcert: take('sslrootcert'),
    applicationName: take('application_name') ?? 'bizmsg',
    connectTimeout: Number(seconds) * 1_000,
    options: take('options'),
  };
  if (sslmode !== undefined && !settings.sslmode)
    throw usage(`sslmode must be one of ${sslModes.join(', ')}, not "${sslmode}"`);
  const [unknown] = known.keys();
  if (unknown === undefined) return settings;
  const all = 'sslmode, sslrootcert, channel_binding, application_name, connect_timeout and options';
  throw usage(`the URL has an unknown parameter "${unknown}"`, `the known ones are ${all}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw usage('the URL has a wrong % sequence', 'write % as %25');
  }
}
