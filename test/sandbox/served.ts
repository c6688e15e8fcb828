import { connect } from 'node:net';
import { type ServerOptions, startServer } from '../../src/sandbox/http.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { calls } from './calls.ts';

export const token = 'the token of this test';

/** A server on a free port; closed after the test. */
export async function served(options: Partial<ServerOptions> = {}, sandboxOptions: SandboxOptions = {}) {
  const world = calls(sandboxOptions);
  const { sandbox } = world;
  const server = await startServer({ sandbox, token, pid: 42, build: 'b1', data: null, port: 0, ...options });
  return { ...world, ...server, [Symbol.asyncDispose]: () => server.close() };
}

/** Writes bytes to a port; returns all bytes received until the connection closes. */
export function raw(port: number, text: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}
