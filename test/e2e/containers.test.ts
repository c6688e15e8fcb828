import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bin, type BinOptions, type Running, startBin } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { sandboxHome } from '../support/fake-service.ts';
import { objects } from '../support/json-lines.ts';
import { isLong } from '../support/long-tests.ts';
import * as rig from './rig.ts';

/** Arguments of `unshare` that give a command its own process namespace. */
const isolated = ['--pid', '--fork', '--kill-child', '--mount-proc'] as const;

/** The reason why tests with containers cannot run here, if any. */
const noContainers: string | undefined =
  spawnSync('unshare', [...isolated, 'true']).status === 0 ? undefined : 'skipped: needs root and unshare';

/** `bench/kills.mjs` runs more. */
const rounds = Array.from({ length: Number(process.env['BIZMSG_ROUNDS'] ?? (isLong ? 3 : 1)) }, (_, at) => at + 1);
const rows = 60;
const seeded = 5;

describe.skipIf(noContainers !== undefined)(`two containers on one state folder (${noContainers ?? 'as root'})`, () => {
  describe.each([
    ['send stdin as a batch', () => ['send-batch', 'welcome', '-']],
    ['import a file', (file: string) => ['contacts', 'import', file]],
  ])('that both %s', (_, wordsOf) => {
    it.each(rounds)('send each row once (round %i)', async () => {
      const world = await rig.newWorld();
      rig.slow(world, 30);
      const words = [...wordsOf(rig.writePeople(world, rows)), '--batch', 'together'];
      const pair = [0, 1].map(() => startContained(words, { ...world, input: rig.peopleText(rows) }));
      const codes = await Promise.all(pair.map(({ ended }) => ended));
      // The other one is refused, or starts when the first has ended.
      expect([codes.includes(0), codes.every((code) => code === 0 || code === 11)]).toEqual([true, true]);
      const posts = world.sandbox.requests().filter(({ method }) => method === 'POST');
      const { messages, contacts } = world.sandbox.counts();
      expect([posts.length, messages + contacts - seeded, rig.twice(world)]).toEqual([rows, rows, []]);
    });
  });

  it('go on with a batch of a container that was killed, 90 seconds after its last sign of life', async () => {
    const place = await rig.newPlace(({ phone }) => ({ reply: phone > rig.phoneOf(4) ? 200 : 'hang' }));
    const words = rig.batch(rig.writePeople(place, 8));
    const killed = startContained(words, place);
    await place.service.until(4);
    killed.keepNamespace();
    killed.kill('SIGKILL');
    await killed.ended;
    const early = startContained(words, place);
    await expect.poll(early.stderr).toContain('was last seen');
    early.kill('SIGKILL');
    await early.ended;
    expect(place.service.asked).toHaveLength(4);
    const env = { ...place.env, ...rig.elsewhere('22222222-2222-4222-8222-222222222222', 95_000) };
    const late = startContained(words, { ...place, env });
    expect(await late.ended).toBe(10);
    expect(rig.summaryIn(late.stdout())).toMatchObject({ sent: 4, unsure: 4, waiting: 0 });
    expect(place.service.asked).toHaveLength(8);
  });

  it.each(rounds)('both listen, and lose no event (round %i)', async () => {
    const home = ownHome();
    const pair = [0, 1].map(() => startContained(['webhooks', 'listen', '--port', '0', '-o', 'ndjson'], home));
    const urls = await Promise.all(pair.map(readyAt));
    const ids = Array.from({ length: 40 }, (_, at) => `evt_${at}`);
    await Promise.all(ids.map((id, at) => deliver(urls[at % 2] ?? '', id)));
    for (const listener of pair) listener.kill('SIGTERM');
    await Promise.all(pair.map(({ ended }) => ended));
    const history = await bin(['webhooks', 'list', '--limit', '100', '-o', 'ndjson'], home);
    const kept = objects(history.stdout).map(({ about }) => about);
    expect([history.stderr, new Set(kept).size]).toEqual(['', ids.length]);
  });

  it.each(rounds)('run one sandbox: the other exits 3 and names its address (round %i)', async () => {
    const home = ownHome();
    const pair = [0, 1].map(() => startContained(['sandbox', 'start', '--port', '0', '-o', 'ndjson'], home));
    const url = await Promise.race(pair.map(readyAt));
    const refused = await Promise.race(pair.map(async (sandbox) => ({ sandbox, code: await sandbox.ended })));
    expect([refused.code, refused.sandbox.stderr()]).toEqual([3, expect.stringContaining(url)]);
    const create = ['contacts', 'create', '--set', 'phone=+12025550177', '--profile', 'local'];
    expect(await startContained(create, home).ended).toBe(0);
    const serving = pair.find((sandbox) => sandbox !== refused.sandbox);
    serving?.kill('SIGTERM');
    expect(await serving?.ended).toBe(0);
    const again = startContained(['sandbox', 'start', '--port', '0', '-o', 'ndjson'], home);
    await readyAt(again);
    const listed = await bin(['contacts', 'list', '--profile', 'local', '-o', 'json'], home);
    expect(listed.stdout).toContain('+12025550177');
  });

  it('continue the work of a container that was killed', async () => {
    const home = ownHome();
    const words = ['sandbox', 'start', '--port', '0', '-o', 'ndjson'];
    const killed = startContained(words, home);
    await readyAt(killed);
    killed.kill('SIGKILL');
    await killed.ended;
    expect(await readyAt(startContained(words, home))).toContain('http://127.0.0.1:');
  });
});

function ownHome(): { readonly home: string } {
  const home = sandboxHome();
  mkdirSync(join(home, '.local/state'), { recursive: true });
  return { home };
}

async function readyAt(running: Contained): Promise<string> {
  await expect.poll(running.stdout).toContain('"ready"');
  const [ready] = objects(running.stdout());
  return String(ready?.['url']);
}

async function deliver(url: string, id: string): Promise<void> {
  const body = JSON.stringify({ type: 'message.delivered', data: { id } });
  const { status } = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  expect(status).toBe(200);
}

interface Contained extends Running {
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Keeps its process namespace, whose number another container could get otherwise. */
  keepNamespace(): void;
}

/** Starts the binary in its own process namespace, as in a container: as process 1, without others. */
function startContained(argv: readonly string[], options: BinOptions): Contained {
  const running = startBin(argv, options, ['unshare', ...isolated]);
  const { pid } = running;
  onTestFinished(() => void alive(pid, 'SIGKILL'));
  const inner = () => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
  return {
    ...running,
    kill: (signal) => alive(inner(), signal),
    keepNamespace() {
      const fd = openSync(`/proc/${inner()}/ns/pid`, 'r');
      onTestFinished(() => closeSync(fd));
    },
  };
}
