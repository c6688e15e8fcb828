// The load that the sandbox can take, beside a minimal server that only reads, parses and responds; and its memory.
//   node bench/sandbox.mjs [--quick] [throughput] [memory]
import { writeFileSync } from 'node:fs';
import { load } from './rig/load.mjs';
import { memoryOf, newPath, rival, startServer } from './rig/processes.mjs';
import { kinds, requestsOf, startSandbox } from './rig/sandbox.mjs';
import { measure, megabytes, takeTurns, whole } from './rig/table.mjs';

await measure('Load of 64 connections. The bare server only reads, parses and responds.', { throughput, memory });

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

async function memory() {
  const [sandbox, count] = [await startSandbox('sandbox'), 50_000];
  await load(sandbox, requestsOf('POST contacts', sandbox.key, count));
  const [what, figure] = [`memory with ${whole(count)} contacts`, memoryOf(sandbox.pid)];
  return [{ what, figure, show: megabytes, most: 250e6, why: 'keeps each record once, and its indexes' }];
}
