import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { otherSecret, secret, signed } from '../commands/webhooks-rig.ts';
import { type Running, startBin } from '../support/bin.ts';
import { alive, cli, isRunning, startCli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';
import { delivery, listening, logsIn } from '../webhooks/rig.ts';
import { posixOnly } from '../support/system.ts';

posixOnly('they run a POSIX shell');

let home = '';
beforeEach(() => {
  home = newHome();
});

const { PATH = '' } = process.env;
const run = (argv: readonly string[]) => cli(argv, { home, env: { PATH } });
const expecting = (...words: readonly string[]) => ['webhooks', 'expect', ...words];
const local = (...words: readonly string[]) => expecting(...words, '--profile', 'local', '--');
const send = (phone: string) => `bizmsg send-template ${phone} order_update -p Ada -p 1`;
const sendLocal = (phone: string) => `${send(phone)} --profile local`.split(' ');
/** Sends Ctrl-C until the program reacts; the first may still go to the command. */
async function interrupt({ pid, stderr }: Running): Promise<void> {
  const isHeard = () => stderr().includes('interrupted') || !alive(pid);
  while (!isHeard()) {
    alive(pid, 'SIGINT');
    // A second signal would end the process, so it gets time to react to the first.
    for (let waited = 0; waited < 4_000 && !isHeard(); waited += 20) await sleep(20);
  }
}

/** A wait whose command runs until the returned function is called, beside a listener that records events. */
async function waiting(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const stateFolder = join(home, '.local/state/bizmsg');
  const journal = await logsIn(stateFolder);
  await listening({ stateFolder });
  await journal.received(delivery('{"type":"order.paid"}'));
  const [begun, came] = [join(home, 'begun'), join(home, 'came')];
  const script = `touch ${begun}; until [ -e ${came} ]; do sleep 0.01; done`;
  const argv = expecting('order.paid', ...words, '--', 'sh', '-c', script);
  const running = startCli(argv, { home, env: { PATH, ...env } });
  await expect.poll(() => existsSync(begun)).toBe(true);
  return { journal, running, goOn: () => writeFileSync(came, '') };
}

const [delivers, fails, later] = ['+12025550101', '+12025550102', '+12025550103'];

describe('webhooks expect, in sandbox exec', () => {
  const shell = (script: string) => run(['sandbox', 'exec', '--', 'sh', '-c', script]);

  it('exits 12 if the message fails, and prints which event arrived instead', async () => {
    const { code, stderr } = await shell(`bizmsg webhooks expect message.delivered -- ${send(fails)}`);
    expect([code, stderr]).toEqual([
      12,
      expect.stringContaining('error: message.failed arrived instead of message.delivered: undeliverable'),
    ]);
  });

  it('ignores earlier events', async () => {
    const { code, stderr } = await shell(
      `bizmsg sandbox trigger contact.created && bizmsg webhooks expect contact.created --within 50ms -- true`,
    );
    expect([code, stderr]).toEqual([13, expect.stringContaining('0 of 1 contact.created arrived within 0.05 s')]);
  });
});

describe('webhooks expect, with the local sandbox', () => {
  it('waits for the given number of matching events', async () => {
    const clock = manualClock();
    const sandbox = await serveLocal(home, { clock });
    const fitting = ['--count', '2', '--where', `data.to=${later}`];
    const thrice = [delivers, later, later].map((phone) => sendLocal(phone).join(' ')).join(' && ');
    const waiting = run([...local('message.delivered', ...fitting), 'sh', '-c', thrice]);
    await expect.poll(() => sandbox.messages().length).toBe(3);
    await clock.advance(5_000);
    const { code, stderr } = await waiting;
    expect([code, stderr.match(/note: message\.delivered after/g)?.length]).toEqual([0, 2]);
  });

  it('prints which events arrived instead after the time-out', async () => {
    await serveLocal(home);
    const trigger = ['sh', '-c', 'for i in 1 2; do bizmsg sandbox trigger contact.created; done'];
    const { code, stderr } = await run([...local('order.paid', '--within', '3s'), ...trigger]);
    expect([code, stderr]).toEqual([13, expect.stringContaining('other events: contact.created (2 times)')]);
  });

  it.each([
    ['exit 7', 7],
    ['kill -TERM $$', 143],
  ])('returns the exit code of a failing command without waiting: %s', async (script, code) => {
    await serveLocal(home);
    const ran = await run([...local('order.paid', '--within', '1h'), 'sh', '-c', script]);
    expect(ran).toEqual({ code, stdout: '', stderr: '' });
  });
});

describe('webhooks expect, with a command that leaves processes in the background', () => {
  /** True once the shell that started it has ended. */
  const afterwards = (command: string) => `{ while kill -0 $$ 2>/dev/null; do sleep 0.01; done; ${command}; } &`;

  it('waits for the events that they cause', async () => {
    await serveLocal(home);
    const script = afterwards('bizmsg sandbox trigger order.paid');
    const { code, stderr } = await run([...local('order.paid', '--within', '20s'), 'sh', '-c', script]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('note: order.paid after')]);
  });

  it.each([
    ['the events have come', 'bizmsg sandbox trigger order.paid', '1h', 0],
    ['the time limit has passed', '', '1ms', 13],
    ['the command has failed', 'exit 7', '1h', 7],
  ])('ends them once %s', async (_, rest, within, code) => {
    await serveLocal(home);
    const script = `sleep 1000 >/dev/null 2>&1 & echo $!; ${rest}`;
    const ran = await run([...local('order.paid', '--within', within), 'sh', '-c', script]);
    expect([ran.code, isRunning(Number.parseInt(ran.stdout, 10))]).toEqual([code, false]);
  });

  it('ends them after Ctrl-C', async () => {
    await serveLocal(home);
    const words = [...local('order.paid', '--within', '1h'), 'sh', '-c', 'sleep 1000 & echo $$ $!'];
    const running = startBin(words, { home });
    await expect.poll(running.stdout).toContain('\n');
    const [shell = 0, child = 0] = running.stdout().split(' ').map(Number);
    await expect.poll(() => alive(shell)).toBe(false);
    expect(alive(child)).toBe(true);
    await interrupt(running);
    expect([await running.ended, isRunning(child)]).toEqual([130, false]);
  });
});

describe('webhooks expect, with a listener', () => {
  it('sees events that reach the listener while the command runs', async () => {
    const { journal, running, goOn } = await waiting(['--within', '1h']);
    await journal.received(delivery('{"type":"order.paid"}'));
    goOn();
    expect((await running.ended).code).toBe(0);
    expect(running.stderr().match(/order\.paid/g)).toHaveLength(1);
  });
});

describe('webhooks expect with a known secret', () => {
  const body = '{"type":"order.paid"}';
  const signedBy = (by: string) => delivery(body, { headers: signed(body, { by }) });

  it.each([
    [0, 'signed with it', signedBy(secret), ''],
    [13, 'signed with another', signedBy(otherSecret), 'order.paid does not count: it was signed with another secret'],
    [13, 'not signed', delivery(body), 'order.paid does not count: it is not signed'],
  ])('exits %i for an event of a listener that is %s', async (code, _, event, note) => {
    const { journal, running, goOn } = await waiting(['--within', '1ms'], { BIZMSG_WEBHOOK_SECRET: secret });
    await journal.received(event);
    await expect.poll(running.stderr).toContain(note === '' ? 'order.paid after' : note);
    goOn();
    expect((await running.ended).code).toBe(code);
  });
});

describe('webhooks expect counts', () => {
  it('an event that is delivered twice as one', async () => {
    const { journal, running, goOn } = await waiting(['--count', '2', '--within', '1ms']);
    const once = delivery('{"type":"order.paid"}', { headers: [['webhook-id', 'evt_1']] });
    for (const event of [once, once]) await journal.received(event);
    await expect.poll(() => running.stderr().match(/order\.paid after/g)?.length).toBe(2);
    goOn();
    expect((await running.ended).code).toBe(13);
    expect(running.stderr()).toContain('1 of 2 order.paid arrived within 0.001 s');
  });
});

describe('webhooks expect does not run the command', () => {
  it.each([
    [['message.delivered'], 3, 'run bizmsg webhooks listen'],
    [['mesage.delivered'], 2, 'did you mean message.delivered?'],
    [['message.delivered', '--where', 'to'], 2, '"to" is not a condition'],
    [['message.delivered', '--count', '0'], 2, '--count: "0" is too small'],
    [['message.delivered', '--within', 'soon'], 2, 'is not a duration'],
    [['message.delivered', '-o', 'json'], 2, 'does not accept --output'],
    [[], 2, '"touch" is not an event'],
  ])('with %j: exit %i, %s', async (words, code, said) => {
    const file = join(home, 'ran');
    const ran = await run(expecting(...words, '--', 'touch', file));
    expect([ran.code, ran.stderr, existsSync(file)]).toEqual([code, expect.stringContaining(said), false]);
  });
});
