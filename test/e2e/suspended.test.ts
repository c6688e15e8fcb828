import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cleanEnv, program } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { errorIn } from '../support/json-lines.ts';
import { isLong } from '../support/long-tests.ts';
import { posixOnly } from '../support/system.ts';
import * as rig from './rig.ts';

posixOnly('a process cannot be stopped and continued');

const rounds = isLong ? 8 : 4;
const boots = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;

describe.runIf(existsSync('/proc/self/stat'))('a batch that is suspended with Ctrl-Z', () => {
  it(`does not delay a live message, wherever it is stopped (${rounds} times), and sends the rest later`, async () => {
    const place = await rig.newPlace();
    const rows = (rounds + 2) * 140;
    rig.writePeople(place, rows);
    const pid = await startInShell(place, rig.batch('people.csv'));
    for (let round = 1; round <= rounds; round++) {
      // More than may have been in flight before: it goes on, so it is ready to be stopped again.
      await place.service.until(place.service.asked.length + 70);
      process.kill(pid, 'SIGTSTP');
      await expect.poll(() => stateOf(pid), { interval: 2 }).toBe('T');
      const sent = await place.bin(['send-template', rig.phoneOf(rows + round), 'welcome', '-p', 'Ada', '--yes']);
      // After three seconds a note would name the process that has the lock.
      expect([sent.code, sent.stderr, stateOf(pid)]).toEqual([0, expect.not.stringContaining('waiting'), 'T']);
      process.kill(pid, 'SIGCONT');
    }
    await expect.poll(() => stateOf(pid) ?? 'Z').toBe('Z');
    expect(rig.repeated(place.service)).toEqual([]);
    expect(await rig.batches(place)).toMatchObject([{ sent: rows, waiting: 0, unsure: 0 }]);
    expect(place.service.asked).toHaveLength(rows + rounds);
  });
});

describe('a batch that is suspended for longer than 90 seconds', () => {
  it.each([
    ['on this machine', boots[0]],
    ['on another machine with the same state folder', boots[1]],
  ])('%s is taken over; continued, it stops with exit 11, and its late answers count', async (_, boot) => {
    const { until, open } = rig.gate();
    const place = await rig.newPlace(() => ({ reply: 200, until }));
    rig.writePeople(place, 20);
    const words = rig.batch('people.csv', '--rate', '600/m');
    const suspended = place.start(words, undefined, rig.elsewhere(boot, 0));
    await rig.untilAsked(place, 4, suspended);
    process.kill(suspended.pid, 'SIGSTOP');
    open();
    const other = place.start(words, undefined, rig.elsewhere(boots[0], 100_000));
    expect(await other.ended).toBe(10);
    expect(rig.summaryIn(other.stdout())).toMatchObject({ sent: 16, unsure: 4, waiting: 0 });
    process.kill(suspended.pid, 'SIGCONT');
    expect([await suspended.ended, errorIn(suspended.stderr())['code']]).toEqual([11, 'batch-taken']);
    expect(rig.summaryIn(suspended.stdout())).toMatchObject({ sent: 20, now: { sent: 4 }, unsure: 0 });
    expect([place.service.asked.length, rig.repeated(place.service)]).toEqual([20, []]);
    expect(await rig.batches(place)).toMatchObject([{ sent: 20, waiting: 0, unsure: 0 }]);
  });
});

/** Starts a command as a job of a shell, because Ctrl-Z stops no other process; returns its pid. */
async function startInShell({ home, env }: rig.Place, words: readonly string[]): Promise<number> {
  const script = 'set -m; "$@" >/dev/null & echo $!; read -r _';
  const shell = spawn('bash', ['-c', script, 'bash', ...program, ...words], { cwd: home, env: cleanEnv(home, env) });
  let text = '';
  shell.stdout.on('data', (part: Buffer) => (text += part.toString()));
  await expect.poll(() => text, { interval: 2 }).toMatch(/\n/);
  const pid = Number(text);
  onTestFinished(() => {
    alive(pid, 'SIGKILL');
    shell.kill();
  });
  return pid;
}

/** R, S, T and so on; undefined if there is no such process. */
function stateOf(pid: number): string | undefined {
  const stat = join('/proc', String(pid), 'stat');
  return existsSync(stat) ? /\) (\w)/.exec(readFileSync(stat, 'utf8'))?.[1] : undefined;
}
