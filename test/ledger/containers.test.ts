import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { alive } from '../support/cli.ts';
import { isolated, noContainers } from '../support/containers.ts';
import { scriptIn } from './scripts.ts';
import { temporaryFolder } from './rig.ts';

/** Executes each line of its input: claims rows, settles one, or advances its clock; prints verdicts. */
const text = `
import { createInterface } from 'node:readline';
import { hostIn, open, planOf } from './library.mjs';
const rows = [0, 1, 2, 3].map((number) => new Uint8Array(24).fill(number + 1));
let passed = 0;
const ledger = await open(process.argv[2], { isLive: true, now: () => Date.now() + passed });
const { run, items } = await ledger.register(planOf(rows));
const nameOf = ({ verdict, owner }) => verdict === 'taken' ? \`taken by \${owner.pid} on \${hostIn(owner.start)}\` : verdict;
const acts = {
  claim: async (...which) => (await ledger.claim(which.map((at) => ({ item: items[at], text: new Uint8Array(12) })), { run })).map(nameOf),
  settle: (at) => ledger.settle([{ run, item: items[at], outcome: 'done' }]),
  runs: async () => (await ledger.runs()).map(({ isRunning, counts }) => ({ isRunning, counts })),
  wait: (milliseconds) => void (passed += Number(milliseconds)),
};
console.log(JSON.stringify({ pid: process.pid }));
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...words] = line.split(' ');
  console.log(JSON.stringify((await acts[name](...words)) ?? null));
}
`;

describe.skipIf(noContainers !== undefined)(`two containers on one ledger (${noContainers ?? 'as root'})`, () => {
  it('share the rows, and rows in flight of a killed one become unsure after 90 seconds', async () => {
    const home = temporaryFolder();
    const [script, folder] = [await scriptIn(home, text), join(home, 'ledger')];
    const first = await contained(script, folder);
    expect(await first.ask('claim 0 1')).toEqual(['yours', 'yours']);
    const second = await contained(script, folder);
    expect([first.pid, second.pid]).toEqual([1, 1]);
    const taken = `taken by 1 on ${hostname()}`;
    expect(await second.ask('claim 0 1 2 3')).toEqual([taken, taken, 'yours', 'yours']);
    expect(await first.ask('claim 2')).toEqual([taken]);
    await second.ask('settle 2');

    await first.kill();
    expect(await second.ask('claim 0 2')).toEqual([taken, 'done']);
    await second.ask('wait 80000');
    expect(await second.ask('claim 0')).toEqual([taken]);
    await second.ask('wait 11000');
    expect(await second.ask('claim 0 1 3')).toEqual(['unsure', 'unsure', expect.stringMatching(/^taken by 1 on/)]);
    await second.ask('settle 3');
    expect(await second.ask('runs')).toMatchObject([{ isRunning: true, counts: { done: 2, unsure: 2, leaving: 0 } }]);
  });
});

/** Runs the script in its own process namespace. */
async function contained(script: string, folder: string) {
  const child = spawn('unshare', [...isolated, process.execPath, script, folder], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value));
  const ready: unknown = await answer();
  const id = child.pid ?? 0;
  return {
    pid: typeof ready === 'object' && ready && 'pid' in ready ? ready.pid : undefined,
    ask(line: string): Promise<unknown> {
      child.stdin.write(`${line}\n`);
      return answer();
    },
    async kill(): Promise<void> {
      alive(Number(readFileSync(`/proc/${id}/task/${id}/children`, 'utf8')), 'SIGKILL');
      await once(child, 'exit');
    },
  };
}
