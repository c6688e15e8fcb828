// Compares the standalone binary of this system, which `npm run binaries` builds, with bare Node and with the same
// program on Node.
//   node bench/binary.mjs [--quick] [starts] [imports]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { csv } from './import/rows.mjs';
import { key, run } from './import/runs.mjs';
import { measure } from './rig/parts.mjs';
import { bizmsg, launchAny, newPath, rivals, startServer } from './rig/processes.mjs';
import { perSecond, whole } from './rig/table.mjs';
import { takeTurns } from './rig/turns.mjs';
import { rowOf, timed } from './start-up/processes.mjs';

const system = `${process.platform === 'darwin' ? 'macos' : process.platform}-${process.arch}`;
const binary = join(import.meta.dirname, `../dist/binaries/bizmsg-${system}`);
const node = process.execPath;
const bare = { name: 'node -e 0', words: [node, '-e', '0'] };
const post = { name: 'a post by node:http', words: [node, join(rivals, 'http-post.cjs')] };

const missing = `it is not built: npm run binaries -- ${system}`;
const about = 'The standalone binary, which needs no Node.';

await measure(about, { starts, imports });

async function starts(isQuick) {
  if (!existsSync(binary)) return [{ what: 'binary, starts', unmeasured: missing }];
  const server = await startServer('server', '', join(rivals, 'answer-server.cjs'));
  const variables = { BIZMSG_BASE_URL: server.url, BIZMSG_API_KEY: key, BIZMSG_STATE_DIR: newPath('state') };
  const ours = (name, ...words) => ({ name: `binary, ${name}`, words: [binary, ...words] });
  const help = ours('--help', '--help');
  const send = ours('send-template', 'send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042');
  const took = timed([bare, help, post, send], { rounds: isQuick ? 20 : 40, variables });
  await server.end();
  return [
    rowOf(took, help, bare, { most: 0.8, why: 'who installs a binary expects a native start' }),
    rowOf(took, send, post, { most: 0.99, why: 'quicker than the quickest script for Node' }),
  ];
}

async function imports(isQuick) {
  if (!existsSync(binary)) return [{ what: 'binary, contacts import', unmeasured: missing }];
  const count = isQuick ? 50_000 : 500_000;
  const server = await startServer('server', '', join(rivals, 'answer-server.cjs'));
  const [own, onNode] = [
    { name: 'binary, contacts import', words: [binary] },
    { name: 'the same on Node', words: [node, bizmsg] },
  ];
  const { median: of, pace } = await takeTurns(
    [own, onNode],
    { rounds: isQuick ? 3 : 5, seconds: 120 },
    ({ words }) => {
      const variables = { BIZMSG_API_KEY: key, BIZMSG_BASE_URL: server.url, BIZMSG_STATE_DIR: newPath('state') };
      return run(launchAny([...words, 'contacts', 'import', csv(count), '--quiet'], 'pipe', variables), count);
    },
  );
  await server.end();
  return [
    {
      what: `${own.name}, ${whole(count)} rows`,
      value: perSecond(of(own, 'perSecond')),
      rival: `${onNode.name}: ${perSecond(of(onNode, 'perSecond'))}`,
      ...pace(own, onNode),
      leastByCpu: 1,
      why: 'a binary must not cost speed',
    },
  ];
}
