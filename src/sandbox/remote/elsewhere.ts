import { once } from 'node:events';
import { connect } from 'node:net';
import { type CliError, unsafe } from '../../base/errors.ts';
import { nameOf } from '../../base/lock.ts';
import { hostIn } from '../../base/liveness.ts';
import type { Locator } from './locator.ts';

/** Throws if it cannot connect: a sandbox in another container may share this folder but not this network. */
export async function refuseUnreachable(locator: Locator): Promise<void> {
  const { hostname, port } = new URL(locator.url);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
  try {
    await once(socket, 'connect');
  } catch {
    throw runsElsewhere(locator, 'which cannot be reached from here');
  } finally {
    socket.destroy();
  }
}

export function runsElsewhere({ url, pid, start }: Locator, why: string): CliError {
  const by = nameOf({ pid, host: hostIn(start) });
  const hint = 'stop it there, or set BIZMSG_STATE_DIR to another folder';
  return unsafe('sandbox-elsewhere', `the sandbox at ${url} belongs to ${by}, ${why}`, hint);
}
