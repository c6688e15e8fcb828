import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { delivery, logIn, take, temporary } from './rig.ts';

describe('the feed of a listener', () => {
  it('returns every event in order of arrival, including those before it was opened', async () => {
    const journal = logIn(temporary());
    journal.received(delivery('1'));
    const feed = journal.feed();
    journal.received(delivery('2'));
    const taken = take(feed, 3);
    journal.forwarded({ event: 'e1', url: 'http://127.0.0.1/', ms: 1 });
    journal.received(delivery('3'));
    expect((await taken).map(({ body }) => body)).toEqual(['1', '2', '3']);
  });

  it('ends when the journal is closed, after all events are read', async () => {
    const journal = logIn(temporary());
    const read = take(journal.feed(), Infinity);
    for (let number = 0; number < 200; number++) journal.received(delivery());
    await journal.close();
    expect(await read).toHaveLength(200);
  });

  it('passes on events from memory again once a slow reader has caught up', async () => {
    const folder = temporary();
    const journal = logIn(folder);
    const feed = journal.feed();
    const next = feed.next();
    const large = 'x'.repeat(9 * 1024 * 1024);
    for (const body of [large, large]) journal.received(delivery(body));
    expect([(await next).done, (await feed.next()).done]).toEqual([false, false]);
    const last = feed.next();
    // The reader reads on after one turn without a new event.
    await setImmediate();
    await setImmediate();
    journal.received(delivery('last'));
    rmSync(join(folder, 'events'), { recursive: true });
    expect((await last).value).toMatchObject({ body: 'last' });
  });
});
