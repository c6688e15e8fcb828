import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import * as read from '../../../src/contract/readers.ts';
import { locatorsIn } from '../../../src/sandbox/remote/locator.ts';
import { openRemote } from '../../../src/sandbox/remote/remote.ts';
import { createRandom } from '../../../src/sandbox/state/ids.ts';
import { binary, cleanEnv } from '../../support/bin.ts';
import { newHome } from '../../support/fake-service.ts';
import { isLong } from '../../support/long-tests.ts';
import { bearing, order, paths } from '../calls.ts';

const kills = Number(process.env['BIZMSG_KILLS'] ?? (isLong ? 10 : 3));
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

it(
  `a sandbox continues with a prefix of what it had done, after ${kills} times kill -9 (seed ${seed})`,
  {
    timeout: 30_000 + kills * 5_000,
  },
  async () => {
    const home = newHome();
    const random = createRandom(seed);
    let acknowledged: readonly string[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const sandbox = await startReal(home);
      const kept = await sandbox.messages();
      expect(kept).toEqual(sameOf(acknowledged, kept));
      const ids: string[] = [];
      const killed = wait(random() * 1_500).then(sandbox.kill);
      for (let id = await sandbox.send(); id !== undefined; id = await sandbox.send()) ids.push(id);
      expect(await killed).toBe('');
      // The last one may have been done without an answer.
      acknowledged = [...kept, ...ids];
    }
    const last = await startReal(home);
    const kept = await last.messages();
    expect(kept).toEqual(sameOf(acknowledged, kept));
  },
);

it('a message that is in the file survives a kill', async () => {
  const home = newHome();
  const sandbox = await startReal(home);
  const id = await sandbox.send();
  const path = join(home, '.local/state/bizmsg/sandbox/state.json');
  await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8'), { timeout: 10_000 }).toContain(id);
  await sandbox.kill();
  expect(await (await startReal(home)).messages()).toEqual([id]);
});

/** As many as are kept, from the first of those: a sandbox drops the oldest beyond 10,000. */
function sameOf(acknowledged: readonly string[], kept: readonly string[]): readonly string[] {
  const from = Math.max(0, acknowledged.indexOf(kept[0] ?? ''));
  return acknowledged.slice(from, from + kept.length);
}

/** A sandbox in its own process, as `sandbox start` creates it. */
async function startReal(home: string) {
  const words = ['sandbox', 'start', '--port', '0', '-o', 'ndjson'];
  const child = spawn(process.execPath, [binary, ...words], { env: cleanEnv(home), stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  await Promise.race([once(child.stdout, 'data'), exited]);
  const [locator] = locatorsIn(join(home, '.local/state/bizmsg'));
  if (locator?.pid !== child.pid || !locator) throw new Error(`the sandbox did not start: ${errors}`);
  const { url, keys } = locator;
  return {
    messages: async () => (await openRemote(locator).ask('messages')).map(({ id }) => id),
    /** Resolves to the id of a new message, or undefined without an answer. */
    async send(): Promise<string | undefined> {
      const headers = bearing(keys.sandbox);
      // Node may wait forever for a server that was killed while it connected.
      const signal = AbortSignal.timeout(5_000);
      const answer = await fetch(url + paths.send, { method: 'POST', headers, body: JSON.stringify(order), signal })
        .then((response) => response.json())
        .catch(() => undefined);
      return answer === undefined ? undefined : read.object({ message_id: read.id })(answer).message_id;
    },
    /** Resolves to what it has written to stderr. */
    async kill(): Promise<string> {
      child.kill('SIGKILL');
      await exited;
      return errors;
    },
  };
}
