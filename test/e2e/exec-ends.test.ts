import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, type TestContext, vi } from 'vitest';
import { bin, startBin, temporaryHome } from '../support/bin.ts';
import { alive, isRunning } from '../support/cli.ts';
import { posixOnly } from '../support/system.ts';
import { openTerminal, type Terminal } from '../support/terminal.ts';

posixOnly('they run a POSIX shell');

/** From the context of the test, since some tests run at the same time. */
type Context = Pick<TestContext, 'expect' | 'onTestFinished'>;

function homeFor({ onTestFinished }: Context): string {
  const { path, remove } = temporaryHome();
  onTestFinished(remove);
  return path;
}

/** The temporary folders of a home. */
const temporary = (home: string) => readdirSync(home).filter((name) => name.startsWith('bizmsg-'));

/** A shell and its children; it prints its address and all process ids. */
const busy = 'sleep 1000 & one=$!; sleep 1000 & echo "$BIZMSG_BASE_URL" $$ $one $!; wait';

async function start(context: Context, script: string) {
  const { expect, onTestFinished } = context;
  const home = homeFor(context);
  const running = startBin(['sandbox', 'exec', '--', 'sh', '-c', script], { home, env: { TMPDIR: home } });
  await expect.poll(running.stdout).toContain('\n');
  const [url = '', ...numbers] = running.stdout().trim().split(' ');
  const pids = numbers.map(Number);
  onTestFinished(() => [running.pid, ...pids].forEach((pid) => alive(pid, 'SIGKILL')));
  return { ...running, home, url, pids };
}

async function isOpen(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

type Started = Pick<Awaited<ReturnType<typeof start>>, 'home' | 'url' | 'pids'>;

async function expectNothingLeft({ home, url, pids }: Started) {
  expect([await isOpen(url), temporary(home)]).toEqual([false, []]);
  await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]));
}

describe('without a terminal, sandbox exec leaves no process behind', () => {
  it.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('after %s, which reaches the whole command: exit %i', async ([signal, code], context) => {
    const running = await start(context, busy);
    expect([running.pids.filter(isRunning).length, temporary(running.home).length]).toEqual([3, 1]);
    alive(running.pid, signal);
    expect(await running.ended).toBe(code);
    await expectNothingLeft(running);
  });

  it('after a signal that the command handles with its own exit code', async (context) => {
    const running = await start(context, `trap 'kill $! $one; exit 5' TERM; ${busy}`);
    alive(running.pid, 'SIGTERM');
    expect(await running.ended).toBe(5);
    await expectNothingLeft(running);
  });

  it('after a second Ctrl-C, which kills it', async (context) => {
    const running = await start(context, `trap '' INT; ${busy}; wait; wait`);
    const [shell = 0] = running.pids;
    await expect.poll(() => alive(running.pid, 'SIGINT') && isRunning(shell)).toBe(false);
    // A third Ctrl-C during the exit would end it by the signal itself.
    expect([137, null]).toContain(await running.ended);
    await expectNothingLeft(running);
  });

  // Some of these wait for a grace period.
  it.concurrent('after a command that ignores signals, which is killed after a delay', async (context) => {
    const running = await start(context, `trap '' TERM; ${busy}`);
    alive(running.pid, 'SIGTERM');
    expect(await running.ended).toBe(137);
    await expectNothingLeft(running);
  });

  it.concurrent.for([
    ['runs on', `${busy.replace('; wait', '')}; exit 6`],
    ['ignores signals', `trap '' TERM; ${busy.replace('; wait', '')}; exit 6`],
  ] as const)('after a command whose child %s', async ([, script], context) => {
    const running = await start(context, script);
    expect(await running.ended).toBe(6);
    await expectNothingLeft(running);
  });

  it.concurrent('after a nested sandbox exec', async (context) => {
    const running = await start(context, `bizmsg sandbox exec -- sh -c '${busy}'`);
    alive(running.pid, 'SIGTERM');
    expect(await running.ended).toBe(143);
    await expectNothingLeft(running);
  });

  it('after a signal during start-up', async (context) => {
    const home = homeFor(context);
    const running = startBin(['sandbox', 'exec', '--', 'sleep', '1000'], { home });
    const sent = setInterval(() => alive(running.pid, 'SIGTERM'), 5);
    const code = await running.ended;
    clearInterval(sent);
    // The first signals arrive before it listens.
    expect([null, 143, 137]).toContain(code);
    expect((await bin(['sandbox', 'status', '-o', 'json'], { home })).stdout).toBe('[]\n');
  });
});

describe('in a terminal, sandbox exec', () => {
  let home: string;
  let terminal: Terminal;
  beforeEach((context) => {
    home = homeFor(context);
    terminal = openTerminal({ home });
  });

  const exec = (script: string) => terminal.enter(`bizmsg sandbox exec -- ${script}`);

  it('lets a shell read input and open /dev/tty, and returns its exit code', async () => {
    await exec(`sh -c 'read a; echo "<$a>"; read b < /dev/tty; echo "<$b>" > /dev/tty; exit 3'`);
    terminal.answer('one');
    await terminal.until('<one>');
    terminal.answer('two');
    await terminal.until('<two>');
    expect(await terminal.ended()).toBe(3);
  });

  it('ends the command and its children on Ctrl-C', async () => {
    const file = join(home, 'pids');
    const inner = 'echo "$BIZMSG_BASE_URL" $PPID $$ > "$0"; echo ready; read a';
    await exec(`sh -c 'sh -c "$1" "$0"; exit' ${file} '${inner}'`);
    await terminal.until('\nready');
    terminal.press('C-c');
    expect(await terminal.until('^C[130]')).toContain('ready');
    const [url = '', ...pids] = readFileSync(file, 'utf8').trim().split(' ');
    await expectNothingLeft({ home, url, pids: pids.map(Number) });
  });

  it('lets a command receive one Ctrl-C once', async () => {
    const file = join(home, 'command.cjs');
    const handlers = `process.on('SIGINT', () => console.log('caught')); process.stdin.on('data', () => process.exit());`;
    writeFileSync(file, `${handlers} console.log('ready');`);
    await exec(`node ${file}`);
    await terminal.until('\nready');
    terminal.press('C-c');
    await terminal.until('caught');
    terminal.answer('');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen().match(/caught/g)).toHaveLength(1);
  });

  it('stops on Ctrl-Z and resumes on fg', async () => {
    await exec(`sh -c 'echo ready; read a; echo "<$a>"; bizmsg sandbox status --columns messages'`);
    await terminal.until('\nready');
    terminal.press('C-z');
    await terminal.until('Stopped');
    await terminal.enter('fg');
    terminal.answer('word');
    await terminal.until(/<word>\s+messages\s+0/);
    expect(await terminal.ended()).toBe(0);
  });

  it('ends the command and the sandbox when the terminal closes', async () => {
    const file = join(home, 'pids');
    await exec(`sh -c '${busy.replace('; wait', '')} > ${file}; echo ready; wait'`);
    await terminal.until('\nready');
    const [url = '', ...pids] = readFileSync(file, 'utf8').trim().split(' ');
    terminal.close();
    await expect.poll(() => isOpen(url)).toBe(false);
    await expectNothingLeft({ home, url, pids: pids.map(Number) });
  });
});
