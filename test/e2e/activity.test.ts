import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noTerminal, openTerminal, type Terminal } from '../support/terminal.ts';
import { execa } from 'execa';
import { bin, cleanEnv, program, startBin } from '../support/bin.ts';
import { serve } from '../client/servers.ts';
import { callerOf } from '../support/fake-service.ts';
import { type Machine, message, openMachine } from '../commands/activity-rig.ts';

const liveLine = [...message, '--profile', 'local', '--mode', 'live'];
const eight = Array.from({ length: 8 }, (_, at) => at);

let machine: Machine;
beforeEach(async () => {
  machine = await openMachine();
});

it('eight concurrent processes log every send', async () => {
  const { home } = machine;
  const ran = await Promise.all(
    eight.map((at) => bin([...message.slice(0, -1), `A-${at}`, '--profile', 'local'], { home })),
  );
  const rows = await machine.rows();
  expect(rows.map(({ outcome, message_id: id }) => `${String(outcome)} ${String(id)}`).sort()).toEqual(
    ran.map(({ stdout }) => `done ${stdout.trim()}`).sort(),
  );
});
it('logs a send as unsure if the process is killed before the response arrives', async () => {
  let arrived = () => {};
  const asked = new Promise<void>((resolve) => (arrived = resolve));
  const service = await serve(() => arrived());
  const given = { home: machine.home, env: callerOf(service.url, 'sk_live_7Rw1Kc5NbY6uJe0SqMvA') };
  const sending = startBin(message, given);
  await asked;
  expect(await machine.rows()).toMatchObject([{ outcome: 'under way', about: `by process ${sending.pid}` }]);
  process.kill(sending.pid, 'SIGKILL');
  await sending.ended;
  expect(await machine.rows('--failed')).toMatchObject([
    { outcome: 'unsure', about: 'may have been done: the process ended before the response' },
  ]);
  const { code, stderr } = await bin(message, given);
  expect([code, stderr, service.seen.length]).toEqual([11, expect.stringContaining('--retry-unsure'), 1]);
});

describe('on a terminal, a live message that was sent before', () => {
  let terminal: Terminal;
  beforeEach((context) => {
    context.skip(noTerminal !== undefined, noTerminal);
    // A first key would make this a new user without a profile.
    mkdirSync(join(machine.home, '.config/bizmsg'), { recursive: true, mode: 0o700 });
    writeFileSync(join(machine.home, '.config/bizmsg/profiles.json'), '{"version":1,"profiles":{}}', { mode: 0o600 });
    terminal = openTerminal({ home: machine.home });
  });
  afterEach(() => terminal.close());

  const question = /The same message was sent (just now|\d+ (s|min) ago)\. Send it again\?/;
  const unwrapped = (text: string) => text.replaceAll('\n', ' ').replace(/ +/g, ' ');

  it.each([
    ['n', 11, 1],
    ['y', 0, 2],
  ])('requires confirmation; %s exits %i', async (answer, code, sent) => {
    await machine.live(message);
    await terminal.enter(`bizmsg ${liveLine.join(' ')}`);
    expect(unwrapped(await terminal.until('Send it again?'))).toMatch(question);
    terminal.answer(answer);
    expect([await terminal.ended(), await machine.sent()]).toEqual([code, sent]);
    expect((await machine.rows()).map(({ outcome }) => outcome)).toEqual(Array.from({ length: sent }, () => 'done'));
  });

  it('requires confirmation even with --yes, but not with --again', async () => {
    await machine.live(message);
    await terminal.enter(`bizmsg ${liveLine.join(' ')} --yes`);
    await terminal.until('Send it again?');
    terminal.answer('n');
    expect([await terminal.ended(), await machine.sent()]).toEqual([11, 1]);
    await terminal.enter(`clear; bizmsg ${liveLine.join(' ')} --again`);
    expect([await terminal.ended(), await machine.sent()]).toEqual([0, 2]);
    expect(terminal.screen()).not.toContain('Send it again?');
  });

  it('logs nothing as unsure if Ctrl-C ends the prompt', async () => {
    await machine.live(message);
    await terminal.enter(`bizmsg ${liveLine.join(' ')}`);
    await terminal.until('Send it again?');
    terminal.press('C-c');
    expect([await terminal.ended(), await machine.sent(), (await machine.rows('--failed')).length]).toEqual([
      130, 1, 0,
    ]);
  });

  it('requires confirmation if it is unsure', async () => {
    await machine.breakNextSend();
    await machine.live(message);
    await terminal.enter(`bizmsg ${liveLine.join(' ')}`);
    const unsure = /The same message may have been sent .*\. Send it again\?/;
    expect(unwrapped(await terminal.until('Send it again?'))).toMatch(unsure);
    terminal.answer('y');
    expect([await terminal.ended(), await machine.sent()]).toEqual([0, 2]);
  });
});

it('sends although the disk is full, and notes that it is not logged', async () => {
  const words = [...program, ...message, '--profile', 'local'];
  const { exitCode, stdout, stderr } = await execa('sh', ['-c', 'ulimit -f 0; exec "$@"', 'sh', ...words], {
    env: cleanEnv(machine.home),
    extendEnv: false,
    reject: false,
  });
  expect([exitCode, stdout, stderr]).toEqual([
    0,
    expect.stringMatching(/^msg_/),
    expect.stringMatching(/^note: bizmsg activity will not list this: cannot use \S+logs\.db: the disk .+$/m),
  ]);
});
