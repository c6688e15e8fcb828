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

  it('lets each reader read at its own pace', async () => {
    const journal = logIn(temporary());
    const [quick, slow] = [journal.feed(), journal.feed()];
    for (let number = 0; number < 500; number++) journal.received(delivery(String(number)));
    expect((await slow.next()).value).toMatchObject({ body: '0' });
    expect(await take(quick, 500)).toHaveLength(500);
    expect((await slow.next()).value).toMatchObject({ body: '1' });
  });

  it('ends when the journal is closed, after all events are read', async () => {
    const journal = logIn(temporary());
    const read = take(journal.feed(), Infinity);
    for (let number = 0; number < 200; number++) journal.received(delivery());
    await journal.close();
    expect(await read).toHaveLength(200);
  });

  it('ends immediately on abort', async () => {
    const off = new AbortController();
    const journal = logIn(temporary());
    const feed = journal.feed(off.signal);
    const next = feed.next();
    off.abort();
    expect(await next).toMatchObject({ done: true });
    journal.received(delivery());
    expect(await feed.next()).toMatchObject({ done: true });
  });
});
