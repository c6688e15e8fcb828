// Whole processes from spawn to exit, one after the other in turns, medians of one run.
//   node bench/start-up.mjs [rounds]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const rounds = Number(process.argv[2] ?? 40);
const here = import.meta.dirname;
const bizmsg = join(here, '../bin/bizmsg.js');
const home = mkdtempSync(join(tmpdir(), 'bizmsg-bench-'));
// What a TAB after --profile reads.
mkdirSync(join(home, '.config/bizmsg'), { recursive: true });
const profile = { baseUrl: 'https://api.example.com', mode: 'sandbox', keys: {} };
writeFileSync(
  join(home, '.config/bizmsg/profiles.json'),
  JSON.stringify({ version: 1, profiles: { acme: profile, beta: profile } }),
);
const server = spawn(process.execPath, [join(here, 'rivals/answer-server.cjs')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [port] = await once(server.stdout, 'data');

// NODE_EXTRA_CA_CERTS would add the same 30 ms to all, and flatter every ratio.
const env = {
  PATH: process.env.PATH,
  HOME: home,
  BIZMSG_BASE_URL: `http://127.0.0.1:${parseInt(port, 10)}`,
  BIZMSG_API_KEY: 'sk_test_bench0123456789',
};
const contestants = {
  'node -e 0': ['-e', '0'],
  'bizmsg --version': [bizmsg, '--version'],
  'bizmsg --help': [bizmsg, '--help'],
  'bizmsg con<TAB>': [bizmsg, '__complete', 'bash', 'bizmsg con', 'con'],
  'bizmsg …--profile <TAB>': [bizmsg, '__complete', 'zsh', 'bizmsg', 'contacts', 'list', '--profile', ''],
  'node:http post': [join(here, 'rivals/http-post.cjs')],
  'bizmsg send-template': [bizmsg, 'send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042'],
  'fetch post': [join(here, 'rivals/fetch-post.cjs')],
};
const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));

for (let round = -3; round < rounds; round++) {
  for (const [name, words] of Object.entries(contestants)) {
    const start = process.hrtime.bigint();
    const ran = spawnSync(process.execPath, words, { env });
    const took = Number(process.hrtime.bigint() - start) / 1e6;
    if (ran.status !== 0) throw new Error(`${name}: exit ${ran.status}: ${ran.stderr}`);
    if (round >= 0) times[name].push(took);
  }
}
server.kill();
rmSync(home, { recursive: true });

const median = (name) => times[name].sort((a, b) => a - b)[Math.floor(rounds / 2)];
const rows = [
  ['node -e 0', 'node -e 0', 1],
  ['bizmsg --version', 'node -e 0', 1.15],
  ['bizmsg --help', 'node -e 0', 1.25],
  ['bizmsg con<TAB>', 'node -e 0', 1.4],
  ['bizmsg …--profile <TAB>', 'node -e 0', 1.4],
  ['node:http post', 'node:http post', 1],
  ['bizmsg send-template', 'node:http post', 1.5],
  ['fetch post', 'node:http post', undefined],
];
console.log(`Node ${process.version}, ${rounds} rounds, medians of whole processes`);
for (const [name, rival, limit] of rows) {
  const ratio = median(name) / median(rival);
  const verdict = limit === undefined ? '' : `limit ${limit.toFixed(2)} ${ratio <= limit ? 'held' : 'MISSED'}`;
  console.log(
    `${name.padEnd(24)} ${median(name).toFixed(1).padStart(6)} ms  ${ratio.toFixed(2)} x ${rival.padEnd(16)} ${verdict}`,
  );
}
