// Starts the servers that receive and print events. `numberIn` finds the event of a line.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { loadSqlite } from '../../bin/sqlite.js';
import { install } from '../rig/install.mjs';
import { bizmsg, end, freePort, launch, newPath, start } from '../rig/processes.mjs';
import { startResendApi, variables } from '../rivals/resend.mjs';
import { secret } from './events.mjs';

const version = '2.21.0';
const resendName = `resend-cli ${version}`;

/**
 * Starts our listener with an unused key, because without one it would connect to a sandbox. Each event must get the
 * given verdict.
 */
export async function startListener({ name = 'webhooks listen', known = secret, verdict = 'good' } = {}) {
  const folder = newPath('state');
  const { child, lines, line } = await start([bizmsg, 'webhooks', 'listen', '--port', '0', '-o', 'ndjson', '--quiet'], {
    BIZMSG_STATE_DIR: folder,
    BIZMSG_BASE_URL: 'http://127.0.0.1:1',
    BIZMSG_API_KEY: 'sk_test_bench0123456789',
    BIZMSG_WEBHOOK_SECRET: known,
  });
  const numberIn = ({ type, signature, body }) => {
    if (type === 'event' && signature.verdict !== verdict)
      throw new Error(`expected ${verdict}, not ${JSON.stringify(signature)}`);
    return type === 'event' ? body.n : undefined;
  };
  return {
    name,
    url: JSON.parse(line).url,
    pid: child.pid,
    lines,
    numberIn,
    recorded: () => recorded(folder),
    end: () => end(child, 'SIGINT'),
  };
}

/** Starts resend-cli, which records nothing, checks no signatures, and responds after printing; or returns a row that says why not. */
export async function startResend() {
  try {
    return await startInstalled(join(install('resend-cli', version), 'dist/cli.cjs'));
  } catch (error) {
    return { what: resendName, unmeasured: error.message };
  }
}

async function startInstalled(program) {
  const words = [program, 'webhooks', 'listen'];
  const service = await startResendApi();
  const port = await freePort();
  const child = launch(
    [...words, '--url', service.url, '--port', String(port), '--quiet'],
    'pipe',
    variables(service.url),
  );
  const gone = new Promise((_, reject) =>
    child.on('exit', (code) => reject(new Error(`${resendName} exited with ${code}`))),
  );
  await Promise.race([service.asked, gone]);
  gone.catch(() => {});
  const lines = createInterface({ input: child.stdout });
  const numberIn = ({ payload }) => payload.n;
  const url = `http://127.0.0.1:${port}`;
  // SIGKILL avoids its output at exit.
  return { name: resendName, url, pid: child.pid, lines, numberIn, end: () => end(child, 'SIGKILL') };
}

/** The number of records by event. */
function recorded(folder) {
  const database = new (loadSqlite().DatabaseSync)(join(folder, 'logs.db'));
  const times = new Map();
  for (const { body } of database.prepare('SELECT body FROM event').all()) {
    const { n } = JSON.parse(Buffer.from(body).toString());
    times.set(n, (times.get(n) ?? 0) + 1);
  }
  database.close();
  return times;
}
