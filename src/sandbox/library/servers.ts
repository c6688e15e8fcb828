import { randomBytes } from 'node:crypto';
import { type RunningServer, startServer } from '../http.ts';
import { fields, integer, optional } from '../readers.ts';
import type { Sandbox as Service } from '../interface.ts';
import { checked, plainError } from './argument-checks.ts';
import type { ListenOptions, SandboxServer } from './types.ts';

export interface Servers {
  listen(options?: ListenOptions): Promise<SandboxServer>;
  close(): Promise<void>;
}

const listenOptions = fields({ port: optional(integer(0, 65_535)) });

export function createServers(service: Service): Servers {
  const opened: Promise<RunningServer>[] = [];
  return {
    async listen(options = {}) {
      const { port = 0 } = checked('listen', () => listenOptions(options));
      const opening = open(service, port);
      opened.push(opening);
      const server = await opening;
      const close = () => server.close();
      return { url: server.url, port: server.port, env: envOf(service, server), close, [Symbol.asyncDispose]: close };
    },
    async close() {
      // Includes servers that are still opening.
      for (const one of await Promise.allSettled(opened)) if (one.status === 'fulfilled') await one.value.close();
    },
  };
}

/** The control plane is unreachable: its token is never passed on. */
async function open(sandbox: Service, port: number): Promise<RunningServer> {
  const token = randomBytes(24).toString('hex');
  try {
    return await startServer({ sandbox, token, port, pid: 0, build: '', data: null });
  } catch (error) {
    throw plainError('listen', error);
  }
}

function envOf(service: Service, { url }: RunningServer): SandboxServer['env'] {
  return {
    BIZMSG_BASE_URL: url,
    BIZMSG_API_KEY: service.keys.sandbox,
    BIZMSG_WEBHOOK_SECRET: service.secret(),
  };
}
