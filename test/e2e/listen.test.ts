import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isRecord } from '../../src/contract/readers.ts';
import { sign } from '../../src/contract/signature.ts';
import { receiver } from '../sandbox/receiver.ts';
import { bin, type Running, startBin, temporaryHome } from '../support/bin.ts';
import { alive, cli, stopSandboxes } from '../support/cli.ts';
import { listenersIn } from '../support/listeners.ts';
import { freePort } from '../support/postgres.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  home = temporaryHome();
});
afterEach(async () => {
  await stopSandboxes(home.path);
  home.remove();
});

const run = (...argv: readonly string[]) => bin(argv, { home: home.path });
const trigger = (...argv: readonly string[]) => run('sandbox', 'trigger', ...argv);
const webhooks = async (): Promise<readonly Row[]> =>
  rowsIn((await run('sandbox', 'set', '-o', 'ndjson')).stdout).filter(({ setting }) => setting === 'webhook');

type Row = Readonly<Record<string, unknown>>;

interface Listening extends Running {
  readonly url: string;
  /** The objects printed so far. */
  items(type: string): readonly Row[];
  /** Resolves to them once there are this many. */
  printed(type: string, count: number): Promise<readonly Row[]>;
}

/** A ready listener that prints JSON objects. */
async function listen(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Listening> {
  const words = ['webhooks', 'listen', ...(argv.includes('--port') ? [] : ['--port', '0']), '-o', 'ndjson', ...argv];
  const running = startBin(words, { home: home.path, env });
  onTestFinished(() => void alive(running.pid, 'SIGKILL'));
  const items = (type: string) => rowsIn(running.stdout()).filter((row) => row['type'] === type);
  const printed = async (type: string, count: number) => {
    await expect.poll(() => items(type).length).toBeGreaterThanOrEqual(count);
    return items(type);
  };
  const [ready] = await printed('ready', 1);
  return { ...running, url: String(ready?.['url']), items, printed };
}

function rowsIn(text: string): readonly Row[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole.split('\n').flatMap((line) => {
    const row: unknown = line === '' ? undefined : JSON.parse(line);
    return isRecord(row) ? [row] : [];
  });
}

async function end(listening: Running, signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' = 'SIGINT'): Promise<number | null> {
  alive(listening.pid, signal);
  return listening.ended;
}

function signed(body: string, id = 'evt_1') {
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'Content-Type': 'application/json',
    'Webhook-Id': id,
    'Webhook-Timestamp': String(timestamp),
    'Webhook-Signature': sign({ id, timestamp, body }, secret),
  };
  return { method: 'POST', headers, body };
}

function lowercased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

describe('webhooks listen --profile local', () => {
  it('reports to the sandbox what the handler behind it answered', async () => {
    const handler = await receiver((response) => response.writeHead(500).end('TypeError: order is undefined'));
    const listening = await listen(['--profile', 'local', '--forward-to', handler.url]);
    await trigger('message.failed', '--to', '+12025550101');
    await listening.printed('forwarded', 1);
    const deliveries = async () =>
      JSON.parse((await run('sandbox', 'log', '--type', 'deliveries', '-o', 'json')).stdout);
    await expect.poll(deliveries).toMatchObject([{ state: 'delivered', last: 200, forwarded: 500 }]);
    const { stdout: id } = await run('sandbox', 'log', '--type', 'messages', '-o', 'id');
    const [delivered, handled] = (await run('sandbox', 'log', id.trim())).stdout.trim().split('\n').slice(-2);
    expect(delivered).toMatch(/Z {2}→ http:\/\/127\.0\.0\.1:\d+\/ {2}200 in \d+ ms$/);
    expect(handled).toMatch(/Z {2} {2}→ handler http:\/\/127\.0\.0\.1:\d+\/\S* {2}500 in \d+ ms$/);
    const story = JSON.parse((await run('sandbox', 'log', id.trim(), '-o', 'json')).stdout);
    expect(story.events[0].deliveries).toMatchObject([
      { forwards: [{ status: 500, body: 'TypeError: order is undefined' }] },
    ]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'removes its webhook and its address after %s, and exits 0',
    async (signal) => {
      const listening = await listen(['--profile', 'local']);
      expect([(await webhooks()).length, (await listenersIn(home.path)).length]).toEqual([1, 1]);
      expect(await end(listening, signal)).toBe(0);
      expect([await webhooks(), await listenersIn(home.path)]).toEqual([[], []]);
    },
  );

  it('waits for the same sandbox, also while another sandbox runs', async () => {
    await run('sandbox', 'start', '--background', '--port', '0');
    const other = await startEphemeral();
    const { stdout } = await run('sandbox', 'env', '--url', other.url, '-o', 'json');
    const listening = await listen([], JSON.parse(stdout));
    await end(other);
    await expect.poll(listening.stderr).toContain('sandbox-ended');
    await trigger('order.paid');
    const again = await startEphemeral(new URL(other.url).port);
    await expect.poll(listening.stderr).toContain('sandbox-back');
    expect(listening.stderr()).toContain(`the sandbox is running again: ${again.url}`);
    expect([await webhooks(), listening.items('event')]).toEqual([[], []]);
  });

  /** A sandbox besides that of the profile local. */
  async function startEphemeral(port = '0'): Promise<Running & { readonly url: string }> {
    const words = ['sandbox', 'start', '--ephemeral', '--port', port, '-o', 'ndjson'];
    const running = startBin(words, { home: home.path });
    onTestFinished(() => void alive(running.pid, 'SIGKILL'));
    await expect.poll(running.stdout).toContain('"ready"');
    return { ...running, url: String(rowsIn(running.stdout())[0]?.['url']) };
  }

  const start = 'start --background --port 0';
  it.each([
    ['stopped, reset and started again', ['stop', 'reset all', 'stop', start]],
    ['reset, stopped and started again', ['reset all', 'stop', start]],
    ['stopped, started again and reset', ['stop', start, 'reset all']],
  ])('shows the next event of a sandbox that is %s', async (_, steps) => {
    const listening = await listen(['--profile', 'local']);
    await trigger('order.paid');
    // If the sandbox stopped before it recorded the response, it delivers the event again.
    const states = async () => (await run('sandbox', 'log', '--type', 'deliveries', '--columns', 'state')).stdout;
    await expect.poll(states).not.toContain('waiting');
    for (const step of steps) expect((await run('sandbox', ...step.split(' '))).code).toBe(0);
    await trigger('flow.completed');
    const events = await listening.printed('event', 2);
    expect(events.map(({ name }) => name)).toEqual(['order.paid', 'flow.completed']);
    expect(await end(listening)).toBe(0);
    expect(await webhooks()).toEqual([]);
  });

  it('replaces a killed listener, and with --catch-up gets the events missed since', async () => {
    await trigger('order.paid');
    const killed = await listen(['--profile', 'local']);
    alive(killed.pid, 'SIGKILL');
    await killed.ended;
    const port = new URL(killed.url).port;
    const next = await listen(['--profile', 'local', '--port', port, '--catch-up']);
    await next.printed('event', 1);
    const url = `${killed.url}/`;
    expect([await webhooks(), await listenersIn(home.path)]).toMatchObject([[{ value: url }], [url]]);
  });

  it('follows a secret that is rotated twice', async () => {
    const listening = await listen(['--profile', 'local']);
    for (const count of [1, 2]) {
      expect((await run('sandbox', 'set', 'secret=new')).code).toBe(0);
      await trigger('order.paid');
      await listening.printed('event', count);
    }
    const verdicts = listening.items('event').map(({ signature }) => isRecord(signature) && signature['verdict']);
    expect(verdicts).toEqual(['good', 'good']);
  });

  it('registers the given secret as its own', async () => {
    const given = ['webhooks', 'listen', '--port', '0', '-o', 'ndjson', '--profile', 'local', '--secret-stdin'];
    const running = startBin(given, { home: home.path, input: secret });
    onTestFinished(() => void alive(running.pid, 'SIGKILL'));
    await expect.poll(running.stdout).toContain('"ready"');
    await trigger('order.paid');
    await expect.poll(running.stdout).toContain('"verdict":"good"');
    expect(running.stdout() + running.stderr()).not.toContain(secret.slice(6, 20));
    expect(await webhooks()).toMatchObject([{ about: 'all events; own secret' }]);
  });
});

describe('webhooks listen', () => {
  it('accepts events from any sender without a profile, with a note', async () => {
    const listening = await listen(['--path', '/hooks'], { BIZMSG_WEBHOOK_SECRET: secret });
    await expect.poll(listening.stderr).toContain('"code":"plain"');
    const body = JSON.stringify({ type: 'order.paid', data: { to: '+12025550101' } });
    const answers = await Promise.all([
      fetch(listening.url, signed(body)),
      fetch(listening.url, { method: 'POST', body }),
      fetch(listening.url, { ...signed(body), body: `${body} ` }),
      fetch(new URL('/other', listening.url), signed(body)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
    const events = await listening.printed('event', 3);
    const verdicts = events.map(({ signature }) => (isRecord(signature) ? signature['verdict'] : ''));
    expect(new Set(verdicts)).toEqual(new Set(['bad', 'good', 'unsigned']));
    expect(await end(listening)).toBe(0);
  });

  it('moves to the next free port for the sandbox only, since a tunnel leads to the usual one', async () => {
    const usual = createServer();
    // Elsewhere it may be in use already.
    await new Promise<void>((resolve) => usual.on('error', () => resolve()).listen(4781, '127.0.0.1', resolve));
    onTestFinished(() => void usual.close());
    const { code, stderr } = await run('webhooks', 'listen');
    expect([code, stderr]).toEqual([3, expect.stringContaining('port 4781 is in use, perhaps by another listener')]);
    const moved = startBin(['webhooks', 'listen', '--profile', 'local'], { home: home.path });
    onTestFinished(() => void alive(moved.pid, 'SIGKILL'));
    await expect.poll(moved.stdout).toMatch(/^Ready http:\/\/127\.0\.0\.1:(?!4781)\d+ for events of the sandbox/);
    expect(moved.stderr()).toContain('port 4781 is in use, so this listener has');
  });
});

describe('webhooks listen forwards', () => {
  it('the original bytes and headers, whose signature another implementation accepts', async () => {
    const handler = await receiver();
    const listening = await listen(['--forward-to', handler.url]);
    const body = '{"type": "order.paid",\r\n "data": {"id": 1.50, "é": "\\u00e9"}}\n';
    const sent = signed(body);
    await fetch(listening.url, { ...sent, headers: { ...sent.headers, 'X-Own': 'kept' } });
    const [got] = await handler.got(1);
    handler.verify(secret);
    expect(got?.body).toBe(body);
    expect(got?.headers).toMatchObject({
      ...lowercased(sent.headers),
      'x-own': 'kept',
      host: new URL(handler.url).host,
    });
    expect(await listening.printed('forwarded', 1)).toMatchObject([{ status: 200, attempt: 1, url: handler.url }]);
  });

  it('refused events again with --retry, and holds back later events of the same message', async () => {
    const [first = '', second = ''] = [1, 2].map((n) => `{ "type":"message.read", "message_id":"msg_1", "n":${n} }`);
    const sent = [signed(first, 'evt_1'), signed(second, 'evt_2')] as const;
    const [one, two] = sent.map(({ headers }) => expect.objectContaining(lowercased(headers)));
    const attempts = [
      { body: first, headers: one, status: 500 },
      { body: first, headers: one, status: 500 },
      { body: first, headers: one, status: 200 },
      { body: second, headers: two, status: 200 },
    ];
    let asked = 0;
    const handler = await receiver((response) => {
      response.writeHead(attempts[asked++]?.status ?? 200).end('not now');
    });
    const listening = await listen(['--retry', '--forward-to', handler.url]);
    for (const request of sent) await fetch(listening.url, request);
    const got = await handler.got(attempts.length);
    expect(got).toMatchObject(attempts.map(({ body, headers }) => ({ body, headers })));
    handler.verify(secret);
    const outcomes = await listening.printed('forwarded', attempts.length);
    expect(outcomes.map(({ status }) => status)).toEqual(attempts.map(({ status }) => status));
    expect(outcomes[0]).toMatchObject({ body: 'not now', attempt: 1, retry_in: 1_000 });
  });

  it.each([
    [['--retry'], '--retry needs'],
    [['--path', 'hooks'], 'is not a path'],
    [['-o', 'csv'], 'cannot print csv'],
  ])('nothing with %j: exit 2', async (argv, message) => {
    const { code, stderr } = await cli(['webhooks', 'listen', ...argv], { home: home.path });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('nothing to itself: exit 2', async () => {
    const port = String(await freePort());
    const { code, stderr } = await run('webhooks', 'listen', '--port', port, '--forward-to', port);
    expect([code, stderr]).toEqual([2, expect.stringContaining('this listener itself')]);
  });
});
