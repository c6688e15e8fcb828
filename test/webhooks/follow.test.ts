import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/webhooks/log/records.ts';
import { type Cursor, cursorNow, follow } from '../../src/webhooks/log/follow.ts';
import { appendFileSync, readdirSync, truncateSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { delivery, logIn, later, take, temporary } from './rig.ts';

describe('a follower', () => {
  it('gets events after its cursor, from existing and new listeners', async () => {
    const folder = temporary();
    const first = logIn(folder);
    first.received(delivery('before'));
    const from = cursorNow(folder);
    first.received(delivery('1'));
    const followed = take(following(folder, from), 4);
    const second = logIn(folder);
    second.received(delivery('2'));
    first.received(delivery('3'));
    first.forwarded({ event: 'e1', url: 'http://127.0.0.1/', ms: 1 });
    expect((await followed).map(textOf).sort()).toEqual(['1', '2', '3', 'forwarded']);
  });

  it('gets all events from a cursor taken before any listener started', async () => {
    const folder = temporary();
    const from = cursorNow(folder);
    logIn(folder).received(delivery('1'));
    expect((await take(following(folder, from), 1)).map(textOf)).toEqual(['1']);
  });

  it('waits for a line that is being written', async () => {
    const folder = temporary();
    const journal = logIn(folder);
    journal.received(delivery('1'));
    const path = join(folder, 'events', readdirSync(join(folder, 'events')).find((name) => name.endsWith('n')) ?? '');
    const { size } = statSync(path);
    appendFileSync(path, '[99,{"type":');
    const from = cursorNow(folder);
    expect([...from.values()]).toEqual([size]);
    truncateSync(path, size);
    journal.received(delivery('2'));
    expect((await take(following(folder, from), 1)).map(textOf)).toEqual(['2']);
  });

  it('gets each event once under load', async () => {
    const folder = temporary();
    const journals = [logIn(folder), logIn(folder)];
    const followed = take(following(folder, cursorNow(folder), 1), 3_000);
    const sent: string[] = [];
    for (let number = 0; number < 3_000; number++) {
      sent.push(journals[number % 2]?.received(delivery(String(number))).id ?? '');
      if (number % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const got = (await followed).map((fact) => (fact.type === 'received' ? fact.id : ''));
    expect(got.toSorted()).toEqual(sent.toSorted());
  });

  it('ends immediately on abort', async () => {
    const off = new AbortController();
    const never = follow(temporary(), { from: new Map(), later, signal: off.signal, every: 2 ** 31 - 1 });
    const end = never.next();
    off.abort();
    expect(await end).toEqual({ value: undefined, done: true });
  });
});

function following(folder: string, from: Cursor, every = 5): AsyncGenerator<Fact> {
  return follow(folder, { from, later, every, signal: new AbortController().signal });
}

function textOf(fact: Fact): string {
  return fact.type === 'received' ? fact.body : fact.type;
}
