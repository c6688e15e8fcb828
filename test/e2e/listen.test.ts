import { createServer } from 'node:http';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isRecord } from '../../src/contract/readers.ts';
import { sign } from '../../src/contract/signature.ts';
import { receiver } from '../sandbox/receiver.ts';
import { deadPort } from '../client/servers.ts';
import { bin, startBin } from '../support/bin.ts';
import { alive, cli, type CliOptions, type RunningCli, startCli, stopSandboxes } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { listenersIn } from '../support/listeners.ts';
import { serveLocal } from '../support/local.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let home: string;
beforeEach(() => {
  home = newHome();
});

const run = (...argv: readonly string[]) => cli(argv, { home });
const trigger = (...argv: readonly string[]) => run('sandbox', 'trigger', ...argv);
const webhooks = async (): Promise<readonly Row[]> =>
  rowsIn((await run('sandbox', 'set', '-o', 'ndjson')).stdout).filter(({ setting }) => setting === 'webhook');

type Row = Readonly<Record<string, unknown>>;

/** The objects that a listener or a sandbox prints, once it is ready. */
async function ready(running: Pick<RunningCli, 'stdout'>) {
  const items = (type: string) => rowsIn(running.stdout()).filter((row) => row['type'] === type);
  const printed = async (type: string, count: number) => {
    await expect.poll(() => items(type).length).toBeGreaterThanOrEqual(count);
    return items(type);
  };
  const [first] = await printed('ready', 1);
  return { url: String(first?.['url']), items, printed };
}

/** Starts a command in this process; `end` is Ctrl-C. */
async function start(argv: readonly string[], options: Partial<CliOptions> = {}) {
  const stop = new AbortController();
  const free = argv.includes('--port') ? [] : ['--port', '0'];
  const running = startCli([...argv, ...free, '-o', 'ndjson'], { home, ...options, signal: stop.signal });
  const end = async () => {
    stop.abort('SIGINT');
    return (await running.ended).code;
  };
  onTestFinished(async () => void (await end()));
  return { ...running, ...(await ready(running)), end };
}

const listen = (argv: readonly string[], options?: Partial<CliOptions>) =>
  start(['webhooks', 'listen', ...argv], options);

/** A listener in a process of its own. */
async function spawn() {
  const running = startBin(['webhooks', 'listen', '--profile', 'local', '--port', '0', '-o', 'ndjson'], { home });
  onTestFinished(() => void alive(running.pid, 'SIGKILL'));
  return { ...running, ...(await ready(running)) };
}

function rowsIn(text: string): readonly Row[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole.split('\n').flatMap((line) => {
    const row: unknown = line === '' ? undefined : JSON.parse(line);
    return isRecord(row) ? [row] : [];
  });
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

describe('webhooks listen --profile local', () => {
  it('reports to the sandbox what the handler behind it answered', async () => {
    await serveLocal(home);
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
      await serveLocal(home);
      const { pid, ended } = await spawn();
      expect([(await webhooks()).length, (await listenersIn(home)).length]).toEqual([1, 1]);
      alive(pid, signal);
      expect(await ended).toBe(0);
      expect([await webhooks(), await listenersIn(home)]).toEqual([[], []]);
    },
  );

  it('waits for the same sandbox, also while another sandbox runs', async () => {
    await serveLocal(home);
    const another = (port = '0') => start(['sandbox', 'start', '--ephemeral', '--port', port]);
    const other = await another();
    const { stdout } = await run('sandbox', 'env', '--url', other.url, '-o', 'json');
    const listening = await listen([], { env: JSON.parse(stdout) });
    await other.end();
    await expect.poll(listening.stderr).toContain('sandbox-ended');
    await trigger('order.paid');
    const again = await another(new URL(other.url).port);
    await expect.poll(listening.stderr).toContain('sandbox-back');
    expect(listening.stderr()).toContain(`the sandbox is running again: ${again.url}`);
    expect([await webhooks(), listening.items('event')]).toEqual([[], []]);
  });

  it.each(['stop, reset all, stop, start', 'reset all, stop, start', 'stop, start, reset all'])(
    'shows the next event of a sandbox in the background after: %s',
    async (steps) => {
      onTestFinished(() => stopSandboxes(home));
      const sandbox = (line: string) => bin(`sandbox ${line}`.split(' '), { home });
      const { pid, ended, printed } = await spawn();
      await sandbox('trigger order.paid');
      // If the sandbox stopped before it recorded the response, it would deliver the event again.
      const states = async () => (await sandbox('log --type deliveries --columns state')).stdout;
      await expect.poll(states).not.toContain('waiting');
      for (const step of steps.replace('start', 'start --background --port 0').split(', '))
        expect((await sandbox(step)).code).toBe(0);
      await sandbox('trigger flow.completed');
      const events = await printed('event', 2);
      expect(events.map(({ name }) => name)).toEqual(['order.paid', 'flow.completed']);
      alive(pid, 'SIGINT');
      expect(await ended).toBe(0);
      expect((await sandbox('set')).stdout).not.toContain('webhook');
    },
  );

  it('replaces a killed listener, and with --catch-up gets the events missed since', async () => {
    await serveLocal(home);
    await trigger('order.paid');
    const killed = await spawn();
    alive(killed.pid, 'SIGKILL');
    await killed.ended;
    const next = await listen(['--profile', 'local', '--port', new URL(killed.url).port, '--catch-up']);
    await next.printed('event', 1);
    const url = `${killed.url}/`;
    expect([await webhooks(), await listenersIn(home)]).toMatchObject([[{ value: url }], [url]]);
  });

  it('follows a secret that is rotated twice', async () => {
    await serveLocal(home);
    const listening = await listen(['--profile', 'local']);
    for (const count of [1, 2]) {
      expect((await run('sandbox', 'set', 'secret=new')).code).toBe(0);
      await trigger('order.paid');
      await listening.printed('event', count);
    }
    const verdicts = listening.items('event').map(({ signature }) => isRecord(signature) && signature['verdict']);
    expect(verdicts).toEqual(['good', 'good']);
  });

  it('registers the given secret as its own, and prints no secret and no key', async () => {
    await serveLocal(home);
    const listening = await listen(['--profile', 'local', '--secret-stdin', '--debug'], { stdin: secret });
    await trigger('order.paid');
    await expect.poll(listening.stdout).toContain('"verdict":"good"');
    expect(listening.stdout() + listening.stderr()).not.toMatch(/MfKQ9r8G|sk_\w+_local-\w{6}/);
    expect(await webhooks()).toMatchObject([{ about: 'all events; own secret' }]);
  });
});

describe('webhooks listen', () => {
  it('accepts events from any sender without a profile, with a note', async () => {
    const listening = await listen(['--path', '/hooks'], { env: { BIZMSG_WEBHOOK_SECRET: secret } });
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
    expect(await listening.end()).toBe(0);
  });

  it('moves to the next free port for the sandbox only, since a tunnel leads to the usual one', async () => {
    const usual = createServer();
    // Elsewhere it may be in use already.
    await new Promise<void>((resolve) => usual.on('error', () => resolve()).listen(4781, '127.0.0.1', resolve));
    onTestFinished(() => void usual.close());
    const { code, stderr } = await run('webhooks', 'listen');
    expect([code, stderr]).toEqual([3, expect.stringContaining('port 4781 is in use, perhaps by another listener')]);
    await serveLocal(home);
    const stop = new AbortController();
    const moved = startCli(['webhooks', 'listen', '--profile', 'local'], { home, signal: stop.signal });
    await expect.poll(moved.stdout).toMatch(/^Ready http:\/\/127\.0\.0\.1:(?!4781)\d+ for events of the sandbox/);
    expect(moved.stderr()).toContain('port 4781 is in use, so this listener has');
    stop.abort('SIGINT');
    await moved.ended;
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
    const headers = Object.entries(sent.headers).map(([name, value]) => [name.toLowerCase(), value]);
    const { host } = new URL(handler.url);
    expect(got?.headers).toMatchObject({ ...Object.fromEntries(headers), 'x-own': 'kept', host });
    expect(await listening.printed('forwarded', 1)).toMatchObject([{ status: 200, attempt: 1, url: handler.url }]);
  });

  it.each([
    [['--retry'], '--retry needs'],
    [['--path', 'hooks'], 'is not a path'],
    [['-o', 'csv'], 'cannot print csv'],
    [['--port', 'PORT', '--forward-to', 'PORT'], 'this listener itself'],
  ])('nothing with %j: exit 2', async (argv, message) => {
    const port = String(await deadPort());
    const { code, stderr } = await run('webhooks', 'listen', ...argv.map((word) => word.replace('PORT', port)));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
