import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { startBin } from '../support/bin.ts';
import { alive, cli, type CliOptions } from '../support/cli.ts';
import { openHostile, newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';
import { errorIn } from '../support/json-lines.ts';
import { newWorld } from '../support/world.ts';
import { delivery, listening, logsIn } from '../webhooks/rig.ts';
import { secret, signed } from './webhooks-rig.ts';

const order = ['order_update', '-p', 'Ada', '-p', 'A-1042'];
const to = (phone: string, ...more: readonly string[]) => {
  const wait = more.includes('--wait=read') ? [] : ['--wait'];
  return ['send-template', phone, ...order, ...wait, ...more];
};
const [delivers, fails, later] = ['+12025550101', '+12025550102', '+12025550103'];

/** A sandbox with a manual clock. */
async function frozen() {
  const clock = manualClock(Date.UTC(2026, 4, 1, 12));
  const world = await newWorld({ clock, seed: 'wait' });
  const { sandbox } = world;
  const sent = async () => {
    await expect.poll(() => sandbox.messages().length).toBe(1);
    return sandbox.messages()[0]?.id ?? '';
  };
  const advance = (milliseconds: number) => clock.advance(milliseconds, () => sandbox.settled());
  return { ...world, advance, sent };
}

/** A command that waits for the events of its message. */
async function started(argv: readonly string[], options: Partial<CliOptions> = {}) {
  const { run, sent, ...world } = await frozen();
  const running = run(argv, options);
  return { ...world, running, id: await sent() };
}

describe('send-template --wait, against the sandbox', () => {
  it('prints only the id to a pipe, and the timeline on stderr', async () => {
    const { running, id, advance } = await started(to(later));
    await advance(5_000);
    const { code, stdout, stderr } = await running;
    expect([code, stdout]).toEqual([0, `${id}\n`]);
    expect(stderr).toContain('is frozen; bizmsg sandbox clock +10s causes events');
    expect(stderr).toMatch(/note: message\.delivered after 5\.000 s\n$/);
  });

  it('prints one object in JSON', async () => {
    const { running, id, advance } = await started(to(later, '--wait=read', '-o', 'json'));
    await advance(5_000);
    await advance(3_000);
    const { code, stdout } = await running;
    const events = [
      { event: 'message.delivered', at: '2026-05-01T12:00:05.000Z', after_ms: 5_000, reason: null },
      { event: 'message.read', at: expect.any(String), after_ms: expect.any(Number), reason: null },
    ];
    expect([code, JSON.parse(stdout)]).toEqual([0, { message_id: id, outcome: 'read', events }]);
  });

  it('shows the message and a line for each event on a terminal', async () => {
    const { running, id, advance } = await started(to(later, '--no-color'), { terminal: 80 });
    await advance(5_000);
    const { code, stdout, stderr } = await running;
    expect([code, stdout]).toEqual([0, `Sent (simulated) ${id}\n    +5.000 s  message.delivered\n`]);
    expect(stderr).not.toContain('message.delivered');
  });

  it('ends with 12 and the reason as soon as the message fails', async () => {
    const { running, id, advance } = await started(to(fails, '-o', 'json'));
    await advance(1_000);
    const { code, stdout, stderr } = await running;
    expect([code, JSON.parse(stdout)]).toMatchObject([12, { message_id: id, outcome: 'failed' }]);
    const message = `${id} was sent but failed: undeliverable: this test number always fails`;
    const hint: unknown = expect.stringContaining(`bizmsg sandbox log ${id} shows more`);
    expect(errorIn(stderr)).toMatchObject({ code: 'message-failed', message, hint });
  });

  it('ends with 13 after the time limit, and reports that the message was sent', async () => {
    const { run, sent } = await frozen();
    const { code, stdout, stderr } = await run(to(later, '--within', '20ms'));
    const id = await sent();
    expect([code, stdout]).toEqual([13, `${id}\n`]);
    expect(stderr).toContain(`error: ${id} was sent, but no message.delivered arrived within 0.02 s`);
  });

  it('ends with 13 and the id if the sandbox stops', async () => {
    const { running, id, close } = await started(to(delivers));
    await close();
    const { code, stdout, stderr } = await running;
    expect([code, stdout]).toEqual([13, `${id}\n`]);
    expect(stderr).toContain(`${id} was sent, but the sandbox at`);
  });

  it('prints the id on Ctrl-C, and ends with 130', async () => {
    const { home, env, sent, advance } = await frozen();
    const running = startBin(to(delivers, '--wait=read'), { home, env });
    const id = await sent();
    await advance(400);
    await expect.poll(running.stderr).toContain('message.delivered');
    alive(running.pid, 'SIGINT');
    expect([await running.ended, running.stdout()]).toEqual([130, `${id}\n`]);
    expect(running.stderr()).toContain(`interrupted; ${id} was sent`);
  });
});

/** A service whose events reach a local listener before its response. */
async function heard(...events: readonly object[]) {
  const deliveries = events.map((event) => delivery(JSON.stringify(event)));
  const { home, env } = await openHostile((_, __, response) => {
    const recorded = Promise.all(deliveries.map((event) => journal.received(event)));
    void recorded.then(() => response.end('{"message_id":"msg_1"}'));
  });
  const stateFolder = join(home, '.local/state/bizmsg');
  const journal = await logsIn(stateFolder);
  await listening({ stateFolder });
  return {
    home,
    deliveries,
    run: (...more: readonly string[]) => cli(to(delivers, ...more), { home, env }),
    runWithSecret: () => cli(to(delivers, '--within', '5s'), { home, env: { ...env, BIZMSG_WEBHOOK_SECRET: secret } }),
  };
}

describe('send-template --wait, with a listener', () => {
  it.each(['message.delivered', 'message.read'])('uses %s, even if it arrives before the response', async (type) => {
    const { run } = await heard({ type, data: { message_id: 'msg_1' } });
    expect(await run()).toMatchObject({ code: 0, stdout: 'msg_1\n' });
  });

  it('finds the id anywhere in an event, and skips events of other messages', async () => {
    const { run } = await heard(
      { type: 'message.failed', data: { message_id: 'msg_2' } },
      { event: 'message.delivered', payload: { about: ['msg_1'] } },
    );
    const { code, stdout } = await run('-o', 'json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { events: [{ event: 'message.delivered' }] }]);
  });

  it('lists the received events after the time limit', async () => {
    const { run } = await heard({ type: 'message.delivered', message_id: 'msg_1' });
    const { code, stderr } = await run('--wait=read', '--within', '50ms');
    const why: unknown = expect.stringMatching(/no message\.read arrived[^]*its events: message\.delivered/);
    expect([code, stderr]).toEqual([13, why]);
  });

  it('with a known secret, accepts an event that a sandbox signed before a rotation', async () => {
    const { home, deliveries, runWithSecret } = await heard();
    const sandbox = await serveLocal(home);
    const body = '{"type":"message.delivered","message_id":"msg_1"}';
    deliveries.push(delivery(body, { headers: signed(body, { by: sandbox.secret() }) }));
    sandbox.webhooks.rotate();
    expect(await runWithSecret()).toMatchObject({ code: 0, stdout: 'msg_1\n' });
  });
});

it('send-template --wait sends nothing without a listener', async () => {
  const { home, env, seen } = await openHostile((_, __, response) => response.end('{"message_id":"msg_1"}'));
  const { code, stdout, stderr } = await cli(to(delivers), { home, env });
  expect([code, stdout, seen]).toEqual([3, '', []]);
  expect(stderr).toContain('run bizmsg webhooks listen');
});

it('--within needs --wait', async () => {
  const { code, stderr } = await cli(['send-template', delivers, ...order, '--within', '5s'], { home: newHome() });
  expect([code, stderr]).toEqual([2, expect.stringContaining('add --wait')]);
});
