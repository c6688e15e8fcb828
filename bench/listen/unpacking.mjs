// Ten signed events in gzip that unpack to 100 MB each. A few kilobytes must not cost seconds.
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { milliseconds } from '../rig/table.mjs';
import { cpuOf } from '../rig/usage.mjs';
import { signatureOf } from './events.mjs';
import { startListener } from './listeners.mjs';

const [amount, megabytes] = [10, 100];

export async function unpacking() {
  const server = await startListener();
  const body = gzipSync(Buffer.alloc(megabytes * 1e6, ' '));
  await post(server, 0, gzipSync('{}'));
  const before = cpuOf(server.pid);
  for (let n = 1; n <= amount; n++) await post(server, n, body);
  const after = cpuOf(server.pid);
  await server.end();
  const what = `CPU for ${amount} events that unpack to ${megabytes} MB each`;
  if (before === undefined) return [{ what, unmeasured: 'known only on Linux' }];
  return [
    {
      what,
      figure: (after - before) / 1_000,
      show: milliseconds,
      most: 1_000,
      why: 'anyone with the secret can send them',
    },
  ];
}

/** Sends an event and waits for its line. */
async function post({ url, lines }, n, body) {
  const line = once(lines, 'line');
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const headers = {
    'content-encoding': 'gzip',
    'webhook-id': `evt_${n}`,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf(`evt_${n}`, timestamp, body),
  };
  const { status } = await fetch(url, { method: 'POST', headers, body });
  if (status !== 200) throw new Error(`the listener answered ${status}`);
  await line;
}
