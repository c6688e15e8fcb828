// The servers that take events; those that print have their lines, and say which event one tells of.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { install } from '../rig/install.mjs';
import { bizmsg, end, freePort, launch, newPath, rivals, start, startServer } from '../rig/processes.mjs';
import { standIn, variables } from '../rivals/resend.mjs';
import { secret } from './events.mjs';

const version = '2.21.0';
const resendName = `resend-cli ${version}`;

/** Resend's is left out where it cannot be had, which a row says then. */
export async function startAll() {
  const [own, bare] = [await startListener(), await startBare()];
  try {
    const resend = await startResend();
    return { own, rivals: [bare, resend], rows: [] };
  } catch (error) {
    return { own, rivals: [bare], rows: [{ what: `${resendName} is left out`, value: '', note: error.message }] };
  }
}

function startBare() {
  return startServer('bare node:http', '', join(rivals, 'event-server.cjs'));
}

/**
 * With a key, since without one it would ask a sandbox for events; nothing is called with it. Each event must come to the
 * verdict.
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
      throw new Error(`${verdict} was due, not ${JSON.stringify(signature)}`);
    return type === 'event' ? body.n : undefined;
  };
  return {
    name,
    url: JSON.parse(line).url,
    pid: child.pid,
    lines,
    numberIn,
    journaled: () => journaled(folder),
    end: () => end(child, 'SIGINT'),
  };
}

/** It keeps no journal, looks at no signature, and answers only when it has printed. */
async function startResend() {
  const words = [join(install('resend-cli', version), 'dist/cli.cjs'), 'webhooks', 'listen'];
  const service = await standIn();
  const port = await freePort();
  const child = launch(
    [...words, '--url', service.url, '--port', String(port), '--quiet'],
    'pipe',
    variables(service.url),
  );
  const gone = new Promise((_, reject) => child.on('exit', (code) => reject(new Error(`it ended with ${code}`))));
  await Promise.race([service.asked, gone]);
  gone.catch(() => {});
  const lines = createInterface({ input: child.stdout });
  const numberIn = ({ payload }) => payload.n;
  const url = `http://127.0.0.1:${port}`;
  // It has much to say at its end otherwise.
  return { name: resendName, url, pid: child.pid, lines, numberIn, end: () => end(child, 'SIGKILL') };
}

/** How often each event is in the journal, by its number. */
function journaled(folder) {
  const times = new Map();
  const events = join(folder, 'events');
  for (const file of readdirSync(events).filter((name) => name.endsWith('.ndjson'))) {
    for (const line of readFileSync(join(events, file), 'utf8').split('\n').filter(Boolean)) {
      const [, { type, body }] = JSON.parse(line);
      if (type !== 'received') continue;
      const { n } = JSON.parse(body);
      times.set(n, (times.get(n) ?? 0) + 1);
    }
  }
  return times;
}
