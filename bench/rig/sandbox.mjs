// Starts sandboxes, and creates the requests to them.
import { spawnSync } from 'node:child_process';
import { bizmsg, environment, newPath, start } from './processes.mjs';
import { requestOf } from './load.mjs';

/** Starts a sandbox with a frozen clock: receipts would take CPU time of the measured requests. */
export async function startSandbox(name) {
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

let phones = 3_000_000_000;
const api = '/api/public';

/** The kinds of requests. Each contact has a new phone. */
export const kinds = {
  'POST contacts': () => post(`${api}/contacts`, { phone: `+1${phones++}`, name: 'Grace Hopper', tags: ['customer'] }),
  'POST send-template': () =>
    post(`${api}/messages/send-template`, { to: '+12025550101', template: 'order_update', params: ['Ada', 'A-1042'] }),
  'GET contacts?limit=100': () => ({ method: 'GET', path: `${api}/contacts?limit=100` }),
};

/** A number of requests of a kind. */
export function requestsOf(kind, key, count) {
  return Array.from({ length: count }, () => {
    const { headers, ...request } = kinds[kind]();
    return requestOf({ ...request, headers: { authorization: `Bearer ${key}`, ...headers } });
  });
}

function post(path, body) {
  return { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
