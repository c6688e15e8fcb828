// The load that the sandbox can take, beside a minimal server that only reads, parses and responds.
//   node bench/sandbox.mjs [--quick] [throughput]
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { load, requestOf } from './rig/load.mjs';
import { bizmsg, environment, newPath, rival, start, startServer } from './rig/processes.mjs';
import { measure, takeTurns } from './rig/table.mjs';

let phones = 3_000_000_000;
const api = '/api/public';

/** The kinds of requests. Each contact has a new phone. */
const kinds = {
  'POST contacts': () => post(`${api}/contacts`, { phone: `+1${phones++}`, name: 'Grace Hopper', tags: ['customer'] }),
  'POST send-template': () =>
    post(`${api}/messages/send-template`, { to: '+12025550101', template: 'order_update', params: ['Ada', 'A-1042'] }),
  'GET contacts?limit=100': () => ({ method: 'GET', path: `${api}/contacts?limit=100` }),
};

await measure('Load of 64 connections. The bare server only reads, parses and responds.', { throughput });

async function throughput(isQuick) {
  const sandbox = await startSandbox('sandbox');
  await load(sandbox, requestsOf('POST contacts', sandbox.key, isQuick ? 10_000 : 100_000));
  await load(sandbox, requestsOf('POST send-template', sandbox.key, 10_000));
  const bare = await startBare(sandbox);
  const rows = [];
  for (const kind of Object.keys(kinds)) {
    const settings = isQuick ? { rounds: 3, seconds: 15 } : { rounds: 9, seconds: 40 };
    const count = (isQuick ? 0.5 : 1) * (kind.startsWith('GET') ? 8_000 : 16_000);
    const { compare } = await takeTurns([sandbox, bare], settings, (server) =>
      load(server, requestsOf(kind, sandbox.key, count)),
    );
    rows.push({ what: kind, ...compare(sandbox, bare), least: 0.7, why: 'adds checks, a log, pages, and a file' });
  }
  return rows;
}

/** Starts a server that gives the answers of this sandbox. */
async function startBare({ url, key }) {
  const answers = {};
  for (const make of Object.values(kinds)) {
    const { path, headers, ...request } = make();
    const answer = await fetch(url + path, { ...request, headers: { authorization: `Bearer ${key}`, ...headers } });
    answers[`${request.method} ${path.split('?')[0]}`] = { status: answer.status, body: await answer.json() };
  }
  const file = newPath('bare.json');
  writeFileSync(file, JSON.stringify({ key, answers }));
  return startServer('bare node:http', rival('bare-server.cjs'), file);
}

/** Starts a sandbox with a frozen clock: receipts would take CPU time of the measured requests. */
async function startSandbox(name) {
  const variables = { BIZMSG_STATE_DIR: newPath('state') };
  const { line, pid } = await start([bizmsg, 'sandbox', 'start', '--port', '0', '-o', 'ndjson'], variables);
  const { url } = JSON.parse(line);
  const command = (...words) => {
    const env = environment(variables);
    return spawnSync(process.execPath, [bizmsg, 'sandbox', ...words], { env, encoding: 'utf8' }).stdout;
  };
  command('clock', 'freeze');
  const { BIZMSG_API_KEY: key } = JSON.parse(command('env', '-o', 'json'));
  return { name, url, key, pid };
}

/** A number of requests of a kind. */
function requestsOf(kind, key, count) {
  return Array.from({ length: count }, () => {
    const { headers, ...request } = kinds[kind]();
    return requestOf({ ...request, headers: { authorization: `Bearer ${key}`, ...headers } });
  });
}

function post(path, body) {
  return { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
