import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunTerms } from '../../src/ledger/ledger.ts';
import { prefixOf } from '../../src/ledger/redis/server.ts';
import { noRedis, startRedis } from '../support/redis.ts';
import { openServerLedger } from './redis-world.ts';
import { messages, planOf, temporaryFolder } from './rig.ts';
import { scriptIn } from './scripts.ts';

/** Claims rows when it reads a line with their numbers; prints the verdicts. */
const text = `
import { createInterface } from 'node:readline';
import { openOnServer, planOf } from './library.mjs';
const [port, memory, hex] = process.argv.slice(2);
const rows = hex.split(',').map((row) => Uint8Array.from(Buffer.from(row, 'hex')));
const ledger = openOnServer(port, memory, { longestClaim: 100 });
const { run } = await ledger.register(planOf(rows));
console.log(run);
for await (const line of createInterface({ input: process.stdin })) {
  const claiming = ledger.claim(line.split(' ').map((at) => rows[at]), { run });
  setTimeout(() => console.log('claiming'), 20);
  console.log((await claiming).map(({ verdict }) => verdict).join(' '));
}
await ledger.close();
`;

const people = 'ada:1 bob:1 cyd:1';

async function started() {
  const server = await startRedis('--appendonly', 'yes');
  onTestFinished(() => server.stop());
  const home = temporaryFolder();
  const script = await scriptIn(home, text);
  const hex = messages(people).map((row) => Buffer.from(row).toString('hex'));
  const words = [script, String(server.address.port), join(home, 'worker.json'), hex.join()];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => String((await lines.next()).value);
  const run = await line();
  const other = openServerLedger(server, { folder: temporaryFolder(), silence: 300 });
  await other.register(planOf(people));
  return { server, child, line, run, other };
}

type Started = Awaited<ReturnType<typeof started>>;

/** Stops the worker after its claim was executed, and before it reads the answer. */
async function stalled({ server, child, line }: Started, rows: string): Promise<void> {
  server.signal('SIGSTOP');
  child.stdin.write(`${rows}\n`);
  expect(await line()).toBe('claiming');
  child.kill('SIGSTOP');
  server.signal('SIGCONT');
  await expect.poll(() => server.redis.call('EXISTS', `${prefixOf('acme')}flights:1`)).toBe(1);
}

/** Waits until the others think that the worker is dead. */
async function buried({ other, run }: Started): Promise<void> {
  const look = async () => (await other.look(messages(people)[0] ?? new Uint8Array(20), { run })).verdict;
  await expect.poll(look).toBe('unsure');
}

describe.skipIf(noRedis)('a worker that stalls', () => {
  it('claims again when it returns', async () => {
    const world = await started();
    await stalled(world, '0 1');
    await buried(world);
    world.child.kill('SIGCONT');
    expect(await world.line()).toBe('yours yours');
  });

  it('does not send rows that another worker has taken over', async () => {
    const world = await started();
    await stalled(world, '0 1');
    await buried(world);
    const terms: RunTerms = { run: world.run, retryUnsure: true };
    expect(await world.other.claim(messages('ada:1'), terms)).toEqual([{ verdict: 'yours' }]);
    world.child.kill('SIGCONT');
    expect(await world.line()).toBe('taken yours');
  });
});

describe.skipIf(noRedis)('a worker that is killed', () => {
  it('leaves its rows in flight unsure, and others send the rest', async () => {
    const world = await started();
    world.child.stdin.write('0\n');
    expect([await world.line(), await world.line()].toSorted()).toEqual(['claiming', 'yours']);
    world.child.kill('SIGKILL');
    await once(world.child, 'exit');
    await buried(world);
    const { other, run } = world;
    expect(await other.claim(messages(people), { run })).toMatchObject([
      { verdict: 'unsure' },
      { verdict: 'yours' },
      { verdict: 'yours' },
    ]);
  });
});
