import { CliError, configuration } from './errors.ts';

const unencrypted = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/;

const notOurs = ['has a schema bizmsg of something else, or of another user', 'use a new database'] as const;

const refusals: Readonly<Record<string, readonly [sentence: string, hint?: string]>> = {
  '28P01': ['refuses the password'],
  '28000': ['refuses this user', 'check pg_hba.conf there; it may require encryption: ?sslmode=verify-full'],
  '3D000': ['is no database of this server'],
  '42704': ['does not know a parameter that the URL has', 'remove what is after its "?", apart from sslmode'],
  '42P01': notOurs,
  '42P07': notOurs,
  '42501': ['does not grant this user what it needs', 'the user must own the schema bizmsg, or may create it'],
  SASL_SIGNATURE_MISMATCH: ['does not know the password, so it is another server'],
};

const reasons: Readonly<Record<string, string>> = {
  '25006': 'it is read-only',
  '53100': 'its disk is full',
  '53300': 'it has too many connections',
  '55P03': 'another process holds its lock',
  '57014': 'it is too slow',
  '57P03': 'it is starting or stopping',
  CONNECTION_CLOSED: 'it closed the connection',
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  ETIMEDOUT: 'no answer',
};

/** An error of the server, with the five characters of its code, or of the connection. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof CliError || !(error instanceof Error && 'code' in error)) return undefined;
  return String(error.code);
}

/** The transaction conflicted with another, and has changed nothing. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error) ?? '');
}

/** The connection is lost. */
export function isLost(error: unknown): boolean {
  return /^(?:E(?!PROTO)[A-Z]+|CONNECT\w*)$/.test(codeOf(error) ?? '');
}

/** The server may do it later, or the connection is lost. */
export function isPassing(error: unknown): boolean {
  return isLost(error) || /^(?:08|53|57P|58|25006|25P03|55P03|57014)/.test(codeOf(error) ?? '');
}

/** Converts an expected error; returns any other one unchanged. The server's own words are not repeated. */
export function failureOf(name: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const refusal = refusals[code];
  if (refusal) return configuration('database-refused', `${name} ${refusal[0]}`, refusal[1], error);
  if (unencrypted.test(code)) {
    const message = `the certificate of ${name} is not accepted (${code})`;
    const hint = 'NODE_EXTRA_CA_CERTS=FILE adds an authority; ?sslmode=require encrypts without checking';
    return new CliError('network', 'tls', message, { hint, cause: error });
  }
  if (error instanceof Error && error.message.includes('before secure TLS')) {
    const message = `${name} closed the connection instead of encrypting it`;
    const hint = 'turn on TLS there; ?sslmode=disable in the URL sends the password and all data unprotected';
    return new CliError('network', 'tls', message, { hint, cause: error });
  }
  if (!isPassing(error)) return error;
  const hint = 'run the same command again once it answers';
  const message = `${name} cannot be used: ${reasons[code] ?? code}`;
  return new CliError('network', 'database-unreachable', message, { hint, cause: error });
}

export function tooOld(name: string, version: string): CliError {
  return configuration('database-refused', `${name} is PostgreSQL ${version}`, 'PostgreSQL 12 or newer is needed');
}

/** 25006: a standby answers, while the address is about to lead to the server that takes over. */
export function lost(code: 'CONNECTION_CLOSED' | 'ETIMEDOUT' | '25006'): Error {
  return Object.assign(new Error('the connection is lost'), { code });
}
