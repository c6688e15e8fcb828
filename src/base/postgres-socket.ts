import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import { CliError, configuration } from './errors.ts';
import { readRegular, whyUnreadable } from './files.ts';
import { type PostgresAddress, shownAddress } from './postgres-address.ts';

const encryptionRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Connects to a server, encrypted as its address requires. */
export async function openSocket(address: PostgresAddress, signal: AbortSignal): Promise<Socket> {
  const { host, port, sslmode } = address;
  const ca = sslmode === 'disable' ? undefined : authorityIn(address);
  const socket = connectTcp({ host, port, noDelay: true, signal });
  try {
    await once(socket, 'connect');
    if (sslmode === 'disable') return socket;
    socket.write(encryptionRequest);
    const [answer]: readonly unknown[] = await once(socket, 'data');
    // Bytes after the answer could have been put there by anyone.
    const isOffered = Buffer.isBuffer(answer) && answer.toString('latin1') === 'S';
    if (!isOffered && sslmode === 'prefer') return socket;
    const hint = 'turn on ssl there; in a trusted network, ?sslmode=disable connects without it';
    const message = `${shownAddress(address)} does not offer encryption`;
    if (!isOffered) throw new CliError('network', 'tls', message, { hint });
    const encrypted = connectTls({
      socket,
      host,
      ...(ca && { ca }),
      ...(isIP(host) === 0 && { servername: host }),
      // Given explicitly, it counts more than NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: sslmode === 'verify-ca' || sslmode === 'verify-full',
      checkServerIdentity: (_, found) => (sslmode === 'verify-full' ? checkServerIdentity(host, found) : undefined),
    });
    await once(encrypted, 'secureConnect');
    return encrypted;
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  }
}

function authorityIn({ sslrootcert: file }: PostgresAddress): Buffer | undefined {
  try {
    return file === undefined ? undefined : readRegular(file);
  } catch (error) {
    const reason = whyUnreadable(error);
    throw configuration(
      'ca-file',
      `sslrootcert ${file} cannot be read${reason ? `: ${reason}` : ''}`,
      undefined,
      error,
    );
  }
}
