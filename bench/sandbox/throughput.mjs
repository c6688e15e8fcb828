// Compares requests per second with a minimal server, which only reads, parses and responds, and with mock servers.
import { join } from 'node:path';
import { dataFile } from '../rivals/mockoon.mjs';
import { openApi } from '../rivals/openapi.mjs';
import { install } from '../rig/install.mjs';
import { rivals, startServer, startOnPort, writeJson } from '../rig/processes.mjs';
import { median } from '../rig/quantiles.mjs';
import { milliseconds, perSecond, two } from '../rig/table.mjs';
import { duel, load } from './load.mjs';
import { answersOf, create, list, send, sendWithReceipts } from './requests.mjs';
import { freeze, startSandbox } from './sandboxes.mjs';

const amounts = new Map([
  [create, 16_000],
  [send, 16_000],
  [list, 8_000],
]);

export async function throughput(isQuick) {
  const memory = await startSandbox('in memory', { ephemeral: true });
  const journal = await startSandbox('journal');
  // Fills the first page.
  for (const sandbox of [memory, journal]) await load(sandbox, create, 128);
  for (const sandbox of [memory, journal]) await freeze(sandbox);
  const answers = await answersOf(memory);
  const bare = await startBare(answers);
  const { mocks, rows } = await startMocks(memory.key, answers);
  for (const [kind, amount] of amounts) {
    const settings = isQuick ? { rounds: 3, amount: amount / 2, seconds: 10 } : { rounds: 9, amount, seconds: 30 };
    const result = await duel([memory, bare, journal], kind, settings);
    for (const sandbox of [memory, journal]) rows.push(...besideBare(result, kind, sandbox, bare));
  }
  rows.push(await withReceipts(bare, isQuick));
  if (mocks.length > 0) rows.push(...(await besideMocks(mocks, memory, bare, isQuick)));
  await Promise.all([memory, journal, bare, ...mocks].map(({ end }) => end()));
  return rows;
}

/** Starts a server that returns the given responses and accepts one key. */
export function startBare(answers, key = 'sk_test_bench0123456789') {
  return startServer('bare node:http', key, join(rivals, 'bare-server.cjs'), writeJson('bare.json', { key, answers }));
}

function besideBare({ median: of, ratios, pace }, kind, sandbox, bare) {
  const what = `${kind.name}, ${sandbox.name}`;
  const rival = bare.name;
  return [
    { what, value: perSecond(of(sandbox, 'perSecond')), ...pace(sandbox, bare), rival, least: 0.6 },
    {
      what: `${what}, p99`,
      value: milliseconds(of(sandbox, 'p99')),
      ratios: ratios(sandbox, bare, 'p99'),
      rival,
      // 1 / 0.6: with 64 connections, latency is inverse to throughput.
      most: 1.67,
    },
  ];
}

async function withReceipts(bare, isQuick) {
  const sandbox = await startSandbox('journal');
  const settings = isQuick ? { rounds: 3, amount: 8_000, seconds: 10 } : { rounds: 9, amount: 16_000, seconds: 45 };
  const { median: of, pace } = await duel([sandbox, bare], sendWithReceipts, settings);
  await sandbox.end();
  const what = `${sendWithReceipts.name}, ${sandbox.name}`;
  return { what, value: perSecond(of(sandbox, 'perSecond')), ...pace(sandbox, bare), rival: bare.name };
}

async function besideMocks(mocks, memory, bare, isQuick) {
  const [sandbox, least, rows] = [{ ...memory, share: 0.5 }, { ...bare, share: 0.5 }, []];
  for (const [kind, amount] of amounts) {
    const settings = { rounds: isQuick ? 1 : 3, amount: amount / 2, seconds: 20 };
    const { median: of, ratios, pace } = await duel([sandbox, least, ...mocks], kind, settings);
    const rowOf = (mock) => ({
      what: `${kind.name}, ${sandbox.name}`,
      value: perSecond(of(sandbox, 'perSecond')),
      ...pace(sandbox, mock),
      rival: mock.name,
      least: 10,
      note: `the bare server: ${two(median(ratios(least, mock, 'perSecond')))}`,
    });
    rows.push(...mocks.map(rowOf));
  }
  return rows;
}

/** Starts the available mocks, without logs and with static responses; returns a row for each unavailable one. */
async function startMocks(key, answers) {
  const makers = {
    // It does not declare support for Node 20 but runs there, faster than the last version that does.
    'Prism 5.16.0': (port) => {
      const cli = join(install('@stoplight/prism-cli', '5.16.0'), 'dist/index.js');
      return [cli, 'mock', '-v', 'silent', '-p', port, writeJson('openapi.json', openApi(answers))];
    },
    'Mockoon 9.9.0': (port) => {
      const cli = join(install('@mockoon/cli', '9.9.0'), 'bin/run.js');
      const quiet = ['--disable-log-to-file', '--disable-admin-api', '--max-transaction-logs', '1'];
      const data = writeJson('mockoon.json', dataFile(openApi(answers)));
      return [cli, 'start', ...quiet, '-l', '127.0.0.1', '-p', port, '-d', data];
    },
  };
  const [mocks, rows] = [[], []];
  for (const [name, wordsFor] of Object.entries(makers)) {
    try {
      mocks.push({ ...(await startOnPort(name, key, wordsFor)), share: 0.4 });
    } catch (error) {
      rows.push({ what: `${name} is unavailable`, value: '', note: error.message });
    }
  }
  return { mocks, rows };
}
