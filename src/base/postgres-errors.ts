import { CliError, configuration } from './errors.ts';
import { type PostgresAddress, shownAddress } from './postgres-address.ts';

/** An error of the server, with its five characters as the code, or of the connection to it. */
export class PostgresFault extends Error {
  readonly code: string;

  constructor(cause: unknown) {
    super('the server or its connection failed', { cause });
    this.code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  }
}

/** The transaction met another one, and has changed nothing. */
export function isConflict({ code }: PostgresFault): boolean {
  return code === '40001' || code === '40P01';
}

const tls = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/;

/**
 * The server may do it later: it restarts, is full or read-only, or a lock or an answer took too long; or the connection
 * is lost, and whether the transaction was committed is unknown.
 */
export function isPassing({ code, cause }: PostgresFault): boolean {
  if (cause instanceof CliError || tls.test(code) || code === 'SASL_SIGNATURE_MISMATCH') return false;
  return !/^[\dA-Z]{5}$/.test(code) || /^(?:08|53|57P|58|EPIPE|25006|25P03|55P03|57014)/.test(code);
}

const noTables = ['has no tables of bizmsg', 'bizmsg team init creates them'] as const;
const refusals: Readonly<Record<string, readonly [sentence: string, hint?: string]>> = {
  '28P01': ['refuses the password', 'bizmsg profiles set NAME --team-stdin stores another line'],
  '28000': ['refuses this user', 'check pg_hba.conf there; it may require encryption: ?sslmode=verify-full'],
  '3D000': ['has no such database'],
  '3F000': noTables,
  '42P01': noTables,
  '42501': ['does not grant this role what it needs', 'see docs/team.md for the grants'],
};

const reasons: Readonly<Record<string, string>> = {
  '': 'no answer',
  '25006': 'it is read-only',
  '53100': 'its disk is full',
  '53300': 'it has too many connections',
  '55P03': 'another process holds its lock',
  '57P03': 'it is starting or stopping',
  CONNECTION_CLOSED: 'it closed the connection',
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
};

/** The meaning of a fault for the user. The server's own words are not repeated. */
export function failureOf(address: PostgresAddress, fault: PostgresFault): CliError {
  const { code, cause } = fault;
  if (cause instanceof CliError) return cause;
  const [shown, refusal] = [shownAddress(address), refusals[code]];
  if (refusal) return configuration('team-refused', `${shown} ${refusal[0]}`, refusal[1], cause);
  if (!tls.test(code) && !isPassing(fault)) return odd(address, fault);
  const [kind, message, hint] = tls.test(code)
    ? ([
        'tls',
        `the certificate of ${shown} is not accepted (${code})`,
        '?sslrootcert=FILE names its authority; ?sslmode=require encrypts without checking the certificate',
      ] as const)
    : ([
        'team-unreachable',
        `${shown} cannot be used: ${reasons[code] ?? code}`,
        'run the same command again once it answers',
      ] as const);
  return new CliError('network', kind, message, { hint, cause });
}

/** An answer that no ledger gives. */
export function odd(address: PostgresAddress, cause: unknown): CliError {
  const code = cause instanceof PostgresFault && cause.code !== '' ? ` (${cause.code})` : '';
  const hint = 'check the address; if it is right, the database is damaged';
  return configuration('team-damaged', `${shownAddress(address)} does not answer as a ledger${code}`, hint, cause);
}
