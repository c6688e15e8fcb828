// Compares common commands with bare Node, and with a minimal script that posts one request.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bizmsg, newMemoryPath, newPath, rivals, startServer } from '../rig/processes.mjs';
import { milliseconds } from '../rig/table.mjs';
import { rowOf, timed } from './processes.mjs';

const node = process.execPath;
const bare = { name: 'node -e 0', words: [node, '-e', '0'] };
const post = { name: 'a post by node:http', words: [node, join(rivals, 'http-post.cjs')] };
const undici = { name: 'a post by undici', words: [node, join(rivals, 'undici-post.cjs')] };

const version = ours('bizmsg --version', '--version');
const help = ours('bizmsg --help', '--help');
const tab = {
  ...ours('bizmsg …--profile <TAB>', '__complete', 'zsh'),
  input: 'bizmsg\0contacts\0list\0--profile\0\0',
};
const words = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042', '--again'];
const send = ours('bizmsg send-template', ...words);
const shared = ours('… with a shared plan', ...words, '--profile', 'planned');
const live = {
  ...send,
  name: 'bizmsg send-template, a live key',
  variables: { BIZMSG_API_KEY: 'sk_live_bench0123456789', BIZMSG_STATE_DIR: newMemoryPath('state') },
};
const alone = ours('… --profile local', ...words, '--profile', 'local');

export async function own(isQuick) {
  const server = await startServer('server', '', join(rivals, 'answer-server.cjs'));
  const config = newPath('config');
  writeProfiles(config, server.url);
  const caller = { BIZMSG_BASE_URL: server.url, BIZMSG_API_KEY: 'sk_test_bench0123456789' };
  const variables = { ...caller, BIZMSG_CONFIG_DIR: config, BIZMSG_STATE_DIR: newPath('state') };
  const file = newPath('row.csv');
  writeFileSync(file, 'phone\n+12025550101\n');
  const batch = ours(
    'bizmsg send-batch, one row',
    'send-batch',
    'order_update',
    file,
    '-p',
    'Ada',
    '--again',
    '--quiet',
  );
  const all = [bare, version, help, tab, post, send, live, undici, batch, alone, shared];
  const took = timed(all, { rounds: isQuick ? 20 : 40, variables });
  await server.end();
  return [
    rowOf(took, version, bare, { most: 1.1, why: 'loads nothing but one small file' }),
    rowOf(took, help, bare, { most: 1.1, why: 'prints a text rendered at build time' }),
    rowOf(took, tab, bare, { most: 1.25, why: 'a shell waits for it at each TAB' }),
    rowOf(took, send, post, { most: 1.4, why: 'a tool that only waits for the wire' }),
    rowOf(took, live, post, { most: 1.5, why: 'claims the message in the ledger' }),
    rowOf(took, batch, undici, { most: 1, why: 'scripts send small batches, too' }),
    {
      what: 'a send with a shared plan takes longer by',
      figure: took(shared) - took(alone),
      show: milliseconds,
      most: 3,
      why: 'reads and writes a small database',
    },
  ];
}

function ours(name, ...words) {
  return { name, words: [node, bizmsg, ...words] };
}

/** Profiles for completion, and one with a plan so fast that no send waits. */
function writeProfiles(folder, url) {
  const profile = { baseUrl: 'https://api.example.com', mode: 'sandbox', keys: {} };
  const keys = { sandbox: 'sk_test_bench0123456789' };
  const planned = { baseUrl: url, mode: 'sandbox', keys, plan: 'enterprise', rate: 60_000 };
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'profiles.json'),
    JSON.stringify({ version: 1, profiles: { acme: profile, beta: profile, planned } }),
  );
}
