import { expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../../src/sandbox/state/ids.ts';
import { serve } from '../client/servers.ts';
import { bin, type Running, startBin, temporaryHome } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { objects } from '../support/json-lines.ts';
import { isLong } from '../support/long-tests.ts';
import { pour } from './pour.ts';

const kills = Number(process.env['BIZMSG_KILLS'] ?? (isLong ? 40 : 3));
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const senders = 16;

const perKill = 500;

it(
  `loses no event in ${kills} kills of a listener, ${kills * perKill} events (seed ${seed})`,
  { timeout: 60_000 + kills * 5_000 },
  async () => {
    const home = temporaryHome();
    onTestFinished(home.remove);
    const random = createRandom(seed);
    const forwarded: string[] = [];
    const handler = await serve(({ body }, _, response) => {
      forwarded.push(textIn(body));
      response.end();
    });
    const acknowledged: string[] = [];
    const outputs: string[] = [];
    for (let kill = 1; kill <= kills; kill++) {
      const listener = await listen(home.path, handler.url);
      const enough = acknowledged.length + random() * 2 * perKill;
      const take = (body: string) => {
        if (acknowledged.push(textIn(body)) > enough) alive(listener.pid, 'SIGKILL');
      };
      await Promise.all(
        Array.from({ length: senders }, (_, sender) => pour(listener.port, bodies(kill, sender), take)),
      );
      await listener.ended;
      outputs.push(listener.stdout());
    }
    // They came faster than the handler took them.
    expect(await bin(['webhooks', 'replay', '--failed'], { home: home.path })).toMatchObject({ code: 0 });
    expect(missing(forwarded)).toEqual([]);

    const columns = ['--columns', 'about,answered'];
    const { stdout } = await bin(['webhooks', 'list', '-o', 'ndjson', ...columns], { home: home.path });
    const events = objects(stdout);
    const recorded = events.map(({ about }) => String(about));
    expect(missing(recorded)).toEqual([]);
    expect(new Set(recorded).size).toBe(recorded.length);
    // Each connection can have one event that was recorded but not acknowledged.
    expect(recorded.length - acknowledged.length).toBeLessThanOrEqual(kills * senders);
    expect(events.filter(({ answered }) => answered !== 200)).toEqual([]);
    expect(disordered(recorded)).toEqual([]);
    const printed = outputs.flatMap((text) => objects(text.slice(0, text.lastIndexOf('\n') + 1)));
    const shown = printed.filter(({ type }) => type === 'event').map(({ about }) => String(about));
    const known = new Set(shown);
    expect(known.size).toBe(shown.length);
    expect(shown).toEqual(recorded.filter((text) => known.has(text)));
    process.stderr.write(`${kills} kills, seed ${seed}, ${acknowledged.length} events acknowledged\n`);

    function missing(found: readonly string[]): readonly string[] {
      const texts = new Set(found);
      return acknowledged.filter((text) => !texts.has(text));
    }
  },
);

async function listen(home: string, to: string): Promise<Running & { readonly port: number }> {
  const words = ['webhooks', 'listen', '--port', '0', '-o', 'ndjson', '--forward-to', to];
  const running = startBin(words, { home });
  onTestFinished(() => void alive(running.pid, 'SIGKILL'));
  await expect.poll(running.stdout, { timeout: 20_000 }).toContain('\n');
  const [ready] = objects(running.stdout().slice(0, running.stdout().indexOf('\n') + 1));
  return { ...running, port: Number(ready?.['port']) };
}

/** Endless events of one message. Their texts sort in the order in which they are sent. */
function* bodies(kill: number, sender: number): Generator<string> {
  for (let number = 0; ; number++) {
    const text = `${sender} ${kill} ${String(number).padStart(6, '0')}`;
    yield JSON.stringify({ type: 'message.received', data: { message_id: `msg_${sender}`, text } });
  }
}

function textIn(body: string): string {
  return String(JSON.parse(body).data.text);
}

/** Texts that come before an earlier one of the same connection. */
function disordered(texts: readonly string[]): readonly string[] {
  const last = new Map<string, string>();
  return texts.filter((text) => {
    const connection = text.replace(/ \d+$/, '');
    const before = last.get(connection) ?? '';
    last.set(connection, text);
    return text < before;
  });
}
