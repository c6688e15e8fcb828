// Compares common commands with bare Node, and with a minimal script that posts one request.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bizmsg, newPath, rivals, startServer } from '../rig/processes.mjs';
import { milliseconds } from '../rig/table.mjs';
import { rowOf, timed } from './processes.mjs';

const node = process.execPath;
const bare = { name: 'node -e 0', words: [node, '-e', '0'] };
const post = { name: 'a post by node:http', words: [node, join(rivals, 'http-post.cjs')] };
const fetchPost = { name: 'a post by fetch', words: [node, join(rivals, 'fetch-post.cjs')] };

const version = ours('bizmsg --version', '--version');
const help = ours('bizmsg --help', '--help');
const tabs = [
  { ...ours('bizmsg con<TAB>', '__complete', 'bash'), input: 'bizmsg con\0con\0' },
  {
    ...ours('bizmsg …--profile <TAB>', '__complete', 'zsh'),
    input: 'bizmsg\0contacts\0list\0--profile\0\0',
  },
];
const words = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042'];
const send = ours('bizmsg send-template', ...words);
const shared = ours('… with a shared plan', ...words, '--profile', 'planned');
const alone = ours('… --no-pace', ...words, '--profile', 'planned', '--no-pace');
/** Milliseconds that a send may take to share its plan with other processes. */
const mostForSharing = 3;

export async function own(isQuick) {
  const server = await startServer('server', '', join(rivals, 'answer-server.cjs'));
  const config = newPath('config');
  writeProfiles(config, server.url);
  const caller = { BIZMSG_BASE_URL: server.url, BIZMSG_API_KEY: 'sk_test_bench0123456789' };
  const variables = { ...caller, BIZMSG_CONFIG_DIR: config, BIZMSG_STATE_DIR: newPath('state') };
  const all = [bare, version, help, ...tabs, post, send, alone, shared, fetchPost];
  const took = timed(all, { rounds: isQuick ? 20 : 40, variables });
  await server.end();
  return [
    rowOf(took, version, bare, { most: 1.15 }),
    rowOf(took, help, bare, { most: 1.2 }),
    ...tabs.map((tab) => rowOf(took, tab, bare, { most: 1.4 })),
    rowOf(took, send, post, { most: 1.35 }),
    sharingRow(took(shared) - took(alone)),
    rowOf(took, fetchPost, post),
  ];
}

function ours(name, ...words) {
  return { name, words: [node, bizmsg, ...words] };
}

function sharingRow(cost) {
  const rival = milliseconds(mostForSharing);
  return { what: 'cost of a shared plan', value: milliseconds(cost), ratios: [cost / mostForSharing], rival, most: 1 };
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
