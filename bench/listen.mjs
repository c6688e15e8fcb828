// A listener beside that of resend-cli, which keeps no event, checks no signature, and answers after printing.
//   node bench/listen.mjs [--quick] [rates] [delay] [memory]
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { load, requestOf } from './rig/load.mjs';
import { bizmsg, install, launch, memoryOf, newPath, start } from './rig/processes.mjs';
import { at, measure, megabytes, milliseconds, takeTurns, whole } from './rig/table.mjs';

const connections = 50;
const key = Buffer.from('the secret of the benchmark');
const version = '2.21.0';

await measure('bizmsg verifies and records each event; resend-cli only prints it.', { rates, delay, memory });

/** Signed events. */
function eventsNow(count) {
  const timestamp = Math.floor(Date.now() / 1_000);
  return Array.from({ length: count }, (_, n) => {
    const data = { message_id: `msg_${n % connections}`, to: '+12025550101', status: 'delivered', timestamp };
    const body = JSON.stringify({ type: 'message.delivered', n, data });
    const signature = createHmac('sha256', key).update(`evt_${n}.${timestamp}.${body}`).digest('base64');
    const about = { 'webhook-id': `evt_${n}`, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
    const headers = { 'content-type': 'application/json', ...about };
    return requestOf({ method: 'POST', path: '/', headers, body });
  });
}

/** Starts our listener with an unused key, because without one it would connect to a sandbox. */
async function startListener() {
  const variables = {
    BIZMSG_STATE_DIR: newPath('state'),
    BIZMSG_BASE_URL: 'http://127.0.0.1:1',
    BIZMSG_API_KEY: 'sk_test_bench0123456789',
    BIZMSG_WEBHOOK_SECRET: `whsec_${key.toString('base64')}`,
  };
  const words = [bizmsg, 'webhooks', 'listen', '--port', '0', '-o', 'ndjson', '--quiet'];
  const { line, ...server } = await start(words, variables);
  const numberIn = ({ signature, body }) => {
    if (signature?.verdict !== 'good') throw new Error(`expected an event with a good signature, not ${signature}`);
    return body.n;
  };
  const { url } = JSON.parse(line);
  return { ...server, name: 'webhooks listen', url, numberIn };
}

/** resend-cli registers a webhook when it starts; a server in place of its API needs neither account nor network. */
async function startResend() {
  const program = join(install('resend-cli', version), 'dist/cli.cjs');
  const api = createServer((request, answer) => {
    answer.setHeader('content-type', 'application/json');
    request.resume().on('end', () => answer.end('{"object":"webhook","id":"wh_bench","signing_secret":"whsec_AAAA"}'));
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const [service, port] = [`http://127.0.0.1:${api.address().port}`, 20_000 + (process.pid % 10_000)];
  const variables = { RESEND_BASE_URL: service, RESEND_API_KEY: 're_bench', RESEND_TELEMETRY_DISABLED: '1' };
  const words = [program, 'webhooks', 'listen', '--url', service, '--port', String(port), '--quiet'];
  const child = launch(words, { ...variables, RESEND_NO_UPDATE_NOTIFIER: '1' }, 'pipe');
  await Promise.race([once(api, 'request'), once(child, 'exit')]);
  api.unref();
  const lines = createInterface({ input: child.stdout });
  const [name, url, numberIn] = [`resend-cli ${version}`, `http://127.0.0.1:${port}`, ({ payload }) => payload.n];
  return { name, url, pid: child.pid, lines, numberIn };
}

/** Runs until the last event is acknowledged and printed, and tells when each was. */
async function trial(server, count, options) {
  const printed = [];
  const printing = new Promise((resolve) => {
    const take = (line) => {
      if (printed.push({ line, time: performance.now() }) < count) return;
      server.lines.off('line', take);
      resolve();
    };
    server.lines.on('line', take);
  });
  const { perSecond } = await load(server, eventsNow(count), { connections, ...options });
  await printing;
  // Parsed at the end, because the sender shares this thread.
  const times = new Map(printed.map(({ line, time }) => [server.numberIn(JSON.parse(line)), time]));
  if (times.size < count) throw new Error(`${server.name} printed ${times.size} of ${count} events`);
  return { perSecond, times };
}

/** As fast as they are acknowledged. */
async function rates(isQuick) {
  const count = 20_000;
  const [listener, resend] = [await startListener(), await startResend()];
  const settings = { rounds: isQuick ? 3 : 9, seconds: 90 };
  const { compare } = await takeTurns([listener, resend], settings, (server) => trial(server, count));
  const why = 'the service repeats what is late';
  return [{ what: 'events acknowledged', ...compare(listener, resend), least: 0.8, why }];
}

/** From the sending of an event to its line. */
async function delay(isQuick) {
  const [server, sent] = [await startListener(), []];
  const onSend = (n) => (sent[n] = performance.now());
  const { times } = await trial(server, isQuick ? 250 : 2_000, { rate: 50, onSend });
  const figure = at(
    0.99,
    sent.map((time, n) => times.get(n) - time),
  );
  return [{ what: 'event to line at 50/s, p99', figure, show: milliseconds, most: 10, why: 'a person watches it' }];
}

/** Unprinted events must wait in the database, not in memory. */
async function memory() {
  const [server, count] = [await startListener(), 200_000];
  let early;
  const onAnswer = (answers) => {
    if (answers === count / 10) early = memoryOf(server.pid);
  };
  await trial(server, count, { onAnswer });
  const peak = memoryOf(server.pid, 'VmHWM');
  const figures = { value: megabytes(peak), rival: `after a tenth: ${megabytes(early)}`, ratios: [peak / early] };
  return [{ what: `peak memory, ${whole(count)} pending events`, ...figures, most: 1.5, why: 'they wait in the logs' }];
}
