import { describe, expect, it } from 'vitest';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { isMatch, rowsOf } from '../../src/page/rows.ts';
import { emptyState, reduce } from '../../src/page/state.ts';
import { type Calls, calls, paths } from '../sandbox/calls.ts';

/** The state of a page that has just been opened. */
function opened({ sandbox }: Pick<Calls, 'sandbox'>) {
  return sandbox
    .openFeed(null, () => {})
    .take()
    .records.reduce(reduce, emptyState);
}

const send = (to: string, template: string, params: readonly string[] = []) => ({ to, template, params });

describe('the rows', () => {
  it('are one for each message, rejected request, reply and other event, the newest first', async () => {
    const made = calls({ clock: manualClock() });
    await made.post(paths.send, send('+12025550101', 'order_update', ['Ada', 'A-1']));
    await made.post(paths.send, send('+12025550102', 'welcome'));
    await made.sandbox.time.advance(400);
    await made.post(paths.send, send('+12025550101', 'nothing'));
    await made.sandbox.time.advance(1);
    made.sandbox.trigger('message.received', { from: '+12025550111', text: 'Hi' });
    await made.sandbox.time.advance(1);
    made.sandbox.trigger('order.paid');
    const rows = rowsOf(opened(made));
    expect(rows.map(({ kind, phone, title, text, isBad }) => [kind, title ?? phone, text, isBad])).toEqual([
      ['event', 'order.paid', '10.00 USD', false],
      ['reply', '+12025550111', 'Hi', false],
      ['request', 'send-template', expect.stringContaining('nothing'), true],
      ['message', '+12025550102', expect.stringContaining('this test number always fails'), true],
      ['message', '+12025550101', 'Hello Ada, your order A-1 is on its way.', false],
    ]);
    expect(rows.at(-1)?.events.map(({ type }) => type)).toEqual(['message.delivered']);
    made.sandbox.close();
  });

  it('are in order also while the clock is frozen', async () => {
    const made = calls({ clock: manualClock(0, () => 0) });
    for (const code of ['1', '2']) {
      await made.post(paths.send, send('+12025550101', 'verification_code', [code]));
      await made.post(paths.send, send('+12025550101', `rejected-${code}`));
      made.sandbox.trigger('message.received', { from: '+12025550111', text: `Reply ${code}` });
    }
    const texts = rowsOf(opened(made)).map(({ text }) => text.replace(/.*(rejected-\d).*/, '$1'));
    expect(texts).toEqual(['Reply 2', 'rejected-2', 'Your code is 2.', 'Reply 1', 'rejected-1', 'Your code is 1.']);
    made.sandbox.close();
  });

  it('fold equal requests that follow each other, and keep their id', async () => {
    const made = calls();
    const add = () => made.post(paths.send, send('+12025550101', 'nothing'));
    await add();
    const [first] = rowsOf(opened(made));
    for (let at = 0; at < 13; at++) await add();
    await made.get(paths.templates);
    expect(rowsOf(opened(made)).map(({ title, count }) => [title, count])).toEqual([
      ['GET templates', undefined],
      ['send-template', 14],
    ]);
    expect(rowsOf(opened(made))[1]?.id).toBe(first?.id);
    made.sandbox.close();
  });

  it.each([
    ['0101', 1],
    ['ORDER a-1', 1],
    ['message.delivered', 2],
    ['ada', 2],
    [' ', 2],
  ])('are filtered by words: %j leaves %i', async (filter, count) => {
    const made = calls({ clock: manualClock() });
    await made.post(paths.send, send('+12025550101', 'order_update', ['Bob', 'A-1']));
    await made.post(paths.send, send('+12025550113', 'welcome'));
    await made.sandbox.time.advance(400);
    expect(rowsOf(opened(made)).filter((row) => isMatch(row, 'Ada', filter))).toHaveLength(count);
    made.sandbox.close();
  });
});

it('a message that arrives with a newer status than its event keeps it', async () => {
  const made = calls({ clock: manualClock() });
  await made.post(paths.send, send('+12025550101', 'welcome'));
  made.sandbox.trigger('message.read');
  const records = made.sandbox.openFeed(null, () => {}).take().records;
  const [delivered] = made.sandbox.events();
  const again = reduce(records.reduce(reduce, emptyState), { kind: 'events', rows: delivered ? [delivered] : [] });
  expect(again.messages).toMatchObject([{ status: 'read' }]);
  made.sandbox.close();
});
