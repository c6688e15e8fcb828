// What a listener bears: events over 50 connections, each of which has to be in the journal and printed once, and in
// order for its message. Beside it a bare node:http server that reads and acknowledges.
//   node bench/listen.mjs [events]
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const count = Number(process.argv[2] ?? 20_000);
const connections = 50;
const here = import.meta.dirname;
const home = mkdtempSync(join(tmpdir(), 'bizmsg-bench-'));
const bizmsg = [join(here, '../bin/bizmsg.js'), 'webhooks', 'listen', '--port', '0', '-o', 'ndjson', '--quiet'];
const bare = [
  '-e',
  `require('node:http').createServer((q, s) => q.resume().on('end', () => s.end())).listen(0, '127.0.0.1', function () {
     console.log(JSON.stringify({ type: 'ready', url: 'http://127.0.0.1:' + this.address().port }));
   })`,
];

try {
  console.log(`Node ${process.version}, ${count} events over ${connections} connections`);
  const rival = await measure('node:http', bare, false);
  const own = await measure('webhooks listen', bizmsg, true);
  console.log(`${((100 * own) / rival).toFixed(0)} % of the rate of node:http`);
  console.log(`in the journal: ${journaled()} of ${count}`);
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** Starts it, sends it all, and says at which rate it acknowledged; `prints` says whether lines are waited for. */
async function measure(name, words, prints) {
  const server = spawn(process.execPath, words, {
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: server.stdout });
  const sent = new Map();
  const printed = [];
  let ready, all;
  const [isReady, isAll] = [new Promise((resolve) => (ready = resolve)), new Promise((resolve) => (all = resolve))];
  lines.on('line', (line) => {
    const item = JSON.parse(line);
    if (item.type === 'ready') ready(item.url);
    if (item.type !== 'event') return;
    const { n } = item.body;
    printed.push({ n, message: item.message_id, took: performance.now() - sent.get(n) });
    if (printed.length === count) all();
  });
  const url = await isReady;
  const began = performance.now();
  const acknowledged = await sendAll(url, sent);
  const rate = count / ((performance.now() - began) / 1_000);
  console.log(`${name.padEnd(16)} ${rate.toFixed(0).padStart(6)} events/s   answered ${quantiles(acknowledged)}`);
  if (prints) {
    await isAll;
    const took = printed.map((one) => one.took);
    console.log(`${''.padEnd(33)}  printed ${quantiles(took)}, the last after ${seconds(began)} s`);
    console.log(`printed once: ${new Set(printed.map(({ n }) => n)).size === count}, in order: ${isOrdered(printed)}`);
  }
  server.kill('SIGINT');
  return rate;
}

/** Each connection has messages of its own, so that the order in which they are sent is the order of each. */
async function sendAll(url, sent) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times = [];
  const worker = async (own) => {
    for (let n = own; n < count; n += connections) {
      const data = { message_id: `msg_${own}_${n % 3}`, to: '+12025550101', status: 'delivered' };
      sent.set(n, performance.now());
      await send(url, agent, JSON.stringify({ type: 'message.delivered', n, data }));
      times.push(performance.now() - sent.get(n));
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, own) => worker(own)));
  agent.destroy();
  return times;
}

function send(url, agent, body) {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`));
      answer.resume().on('end', resolve);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function journaled() {
  const folder = join(home, '.local/state/bizmsg/events');
  const files = readdirSync(folder).filter((file) => file.endsWith('.ndjson'));
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('');
  return text.split('"type":"received"').length - 1;
}

function isOrdered(printed) {
  const last = new Map();
  return printed.every(({ n, message }) => {
    const before = last.get(message) ?? -1;
    last.set(message, n);
    return n > before;
  });
}

function quantiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))].toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

function seconds(began) {
  return ((performance.now() - began) / 1_000).toFixed(1);
}
