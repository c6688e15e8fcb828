import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';

export interface ListenerProcess {
  readonly port: number;
  readonly pid: number;
  /** Kills the process; resolves when it has exited. */
  kill(): Promise<void>;
}

const source = new URL('../../src/webhooks/', import.meta.url).pathname;

/** Bundles a listener script in this folder; the listener reads only the first event of its feed. */
export async function listenerScript(home: string): Promise<string> {
  const [main, script] = [join(home, 'main.ts'), join(home, 'listener.mjs')];
  writeFileSync(
    main,
    `
    import { openEventLog } from '${source}log/log.ts';
    import { startReceiver } from '${source}receive/server.ts';
    const kill = (pid) => { try { return process.kill(pid, 0); } catch { return false; } };
    const later = (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer); };
    const [stateFolder] = process.argv.slice(2);
    const log = openEventLog({ stateFolder, pid: process.pid, kill, now: Date.now, later });
    const { port } = await startReceiver({ log, port: 0, now: Date.now });
    process.stdout.write(String(port));
    void log.read().next();
    process.stdin.on('end', () => process.exit()).resume();
  `,
  );
  const bundle = await rolldown({ input: main, platform: 'node' });
  await bundle.write({ file: script, format: 'esm' });
  await bundle.close();
  return script;
}

/** Starts a listener in a separate process. */
export async function startListenerProcess(
  script: string,
  stateFolder: string,
  flags: readonly string[] = [],
): Promise<ListenerProcess> {
  const child = spawn(process.execPath, [...flags, script, stateFolder], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const [port]: unknown[] = await once(child.stdout, 'data');
  return {
    port: Number(String(port)),
    pid: child.pid ?? 0,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Posts bodies one by one on one connection until it fails; calls back for each acknowledged body. */
export async function pour(
  port: number,
  bodies: Iterable<string>,
  acknowledged: (body: string) => void,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const body of bodies) {
    const status = await post(port, body, agent).catch(() => undefined);
    if (status === undefined) break;
    if (status !== 200) throw new Error(`it answered ${status}`);
    acknowledged(body);
  }
  agent.destroy();
}

function post(port: number, body: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method: 'POST', agent }, (answer) => {
      answer
        .resume()
        .on('end', () => resolve(answer.statusCode ?? 0))
        .on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
