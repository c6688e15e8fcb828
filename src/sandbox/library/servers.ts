import { randomBytes } from 'node:crypto';
import type { Sandbox as Service } from '../sandbox.ts';
import { type RunningServer, startServer } from '../http.ts';
import { checkGiven, plain, whole } from './argument-checks.ts';
import type { ListenOptions, SandboxServer } from './types.ts';

/** Those that a sandbox listens with. */
export interface Servers {
  listen(options?: ListenOptions): Promise<SandboxServer>;
  close(): Promise<void>;
}

export function createServers(service: Service): Servers {
  const opened: Promise<RunningServer>[] = [];
  return {
    async listen(options = {}) {
      checkGiven('listen', options, { port: whole(65_535) });
      const opening = open(service, options.port ?? 0);
      opened.push(opening);
      const server = await opening;
      const close = () => server.close();
      return { url: server.url, port: server.port, env: envOf(service, server), close, [Symbol.asyncDispose]: close };
    },
    async close() {
      // also one that is still opening
      for (const one of await Promise.allSettled(opened)) if (one.status === 'fulfilled') await one.value.close();
    },
  };
}

/** Nobody knows the token: who has the sandbox in hand needs no control plane. */
async function open(sandbox: Service, port: number): Promise<RunningServer> {
  const token = randomBytes(24).toString('hex');
  try {
    return await startServer({ sandbox, token, port, pid: 0, build: '', data: null });
  } catch (error) {
    throw plain('listen', error);
  }
}

function envOf(service: Service, { url }: RunningServer): SandboxServer['env'] {
  return {
    BIZMSG_BASE_URL: url,
    BIZMSG_API_KEY: service.keys.sandbox,
    BIZMSG_WEBHOOK_SECRET: service.secret(),
  };
}
