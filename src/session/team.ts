import { randomBytes } from 'node:crypto';
import { CliError, configuration, usage } from '../base/errors.ts';
import type { Env } from '../base/host.ts';
import type { RedisAddress } from '../base/redis.ts';
import { variable } from './profiles/environment.ts';

/** A ledger that several machines share: a Valkey or Redis server, and the secret of the digests in it. */
export interface Team {
  readonly address: RedisAddress;
  /** Keys the digests, so that the server alone reveals no phone number. The server never gets it. */
  readonly secret: string;
  /** The server without user and password. */
  readonly shown: string;
}

/** The team of a caller, if it has one. Errors name where it comes from. */
export function teamOf(
  { team, profile }: { readonly team?: string | undefined; readonly profile?: string | undefined },
  env: Env,
): Team | undefined {
  if (team === undefined) return undefined;
  if (env.BIZMSG_TEAM !== undefined) return variable('BIZMSG_TEAM', team, readTeam);
  try {
    return readTeam(team);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw configuration('bad-team', `the team of the profile "${profile}": ${error.message}`, error.hint, error);
  }
}

const form = 'use redis://[user:password@]host[:port][/db], or rediss:// for TLS';
const secretBytes = 32;
const secretForm = /^[\w-]{43}$/;
const longest = 512;

/** Reads the URL of a team: a server and, after `#`, the secret. Errors repeat none of it, since it holds secrets. */
export function readTeam(text: string): Team {
  const trimmed = text.trim();
  // A secret has no #.
  const at = trimmed.lastIndexOf('#');
  if (at === -1)
    throw usage('the URL of the team has no secret', 'bizmsg team new URL adds one; use all of its output');
  const { address, shown } = readServer(trimmed.slice(0, at));
  const secret = trimmed.slice(at + 1);
  if (!secretForm.test(secret))
    throw usage(
      'the secret after # in the URL of the team is incomplete or changed',
      'copy all of what bizmsg team new printed',
    );
  return { address, secret, shown };
}

interface TeamServerUrl extends Pick<Team, 'address' | 'shown'> {
  /** In its usual form, with user and password. */
  readonly url: string;
}

/** Reads the URL of a server, without a secret. */
export function readServer(text: string): TeamServerUrl {
  const trimmed = text.trim();
  const fault = (what: string) => usage(`the URL of the team's server ${what}`, form);
  if (trimmed === '') throw fault('is empty');
  if (trimmed.length > longest) throw fault(`is longer than ${longest} characters`);
  if (/[^!-~]/.test(trimmed)) throw fault('has white space or characters that are not ASCII');
  if (!/^rediss?:\/\//.test(trimmed)) throw fault('does not begin with redis:// or rediss://');
  if (trimmed.includes('#'))
    throw usage("the URL of the team's server has a #", 'leave the secret out; in a password, write # as %23');
  if (!URL.canParse(trimmed)) throw fault('is not a URL');
  const url = new URL(trimmed);
  if (!/^([\w.-]+|\[[\da-f:.]+\])$/i.test(url.hostname)) throw fault('has no valid host');
  if (url.port === '0') throw fault('has the port 0');
  if (url.search !== '' || trimmed.includes('?')) throw fault('has options after ?, which bizmsg does not support');
  if (!/^(\/\d{0,4})?$/.test(url.pathname)) throw fault('has a path that is not the number of a database');
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (user === undefined || password === undefined) throw fault('has a % without two hexadecimal digits');
  if (user !== '' && password === '')
    throw usage(
      "the URL of the team's server has a user without a password",
      'use redis://user:password@host, or redis://:password@host for a password alone',
    );
  return serverAt(url, { user: user || undefined, password: password || undefined });
}

const defaultPort = 6379;

function serverAt(
  { protocol, username, password, hostname, port, pathname }: URL,
  login: Pick<RedisAddress, 'user' | 'password'>,
): TeamServerUrl {
  const address = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? defaultPort : Number(port),
    tls: protocol === 'rediss:',
    database: Number(pathname.slice(1)),
    ...login,
  };
  const place = `${hostname}:${address.port}${pathname.length > 1 ? `/${address.database}` : ''}`;
  const userInfo = password === '' ? '' : `${username}:${password}@`;
  return { address, url: `${protocol}//${userInfo}${place}`, shown: `${protocol}//${place}` };
}

/** Adds a new secret to the address of a server. */
export function newTeam(server: string): string {
  return `${readServer(server).url}#${randomBytes(secretBytes).toString('base64url')}`;
}

/** Whether the address has a password, which others on this machine may have seen on the command line. */
export function hasPassword(server: string): boolean {
  return readServer(server).address.password !== undefined;
}

/** Shorter texts may be part of a word by chance. */
const shortestHidden = 8;

/** The parts of a team's URL that are never printed, also of one that is not valid. */
export function secretsOf(text: string): readonly string[] {
  const trimmed = text.trim();
  const [, userInfo = ''] = /^\w+:\/\/(.*)@/.exec(trimmed) ?? [];
  const password = userInfo.slice(userInfo.indexOf(':') + 1);
  const secret = trimmed.slice(trimmed.lastIndexOf('#') + 1);
  return [trimmed, password, decoded(password) ?? '', secret].filter((part) => part.length >= shortestHidden);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
