import { describe, expect, it } from 'vitest';
import { inOrder, isMatch, newestOf, phonesIn } from '../../src/page/phones.ts';
import { emptyState, reduce } from '../../src/page/state.ts';
import type { FeedRecord } from '../../src/sandbox/control/stream.ts';

const sent = Date.UTC(2026, 0, 1);

type Message = Extract<FeedRecord, { readonly kind: 'messages' }>['rows'][number];

function message(id: string, given: Partial<Message> = {}): Message {
  const text = 'Hello Ada';
  const sent_at = new Date(sent).toISOString();
  return {
    id,
    to: '+1',
    template: 't',
    params: ['Ada'],
    mode: 'sandbox',
    sent_at,
    status: 'accepted',
    text,
    campaign: undefined,
    ...given,
  };
}

function receipt(type: 'message.delivered' | 'message.read' | 'message.failed', of: string, data: object = {}) {
  return { id: `evt ${type} ${of}`, type, at: sent + 1_000, message: of, data: { ...data } } as const;
}

function reduced(...records: readonly FeedRecord[]) {
  return records.reduce(reduce, emptyState);
}

describe('the state of the page', () => {
  it('knows the status of a message, its time and the reason of a failure', () => {
    const { messages } = reduced(
      { kind: 'messages', rows: [message('a'), message('b'), message('c')] },
      { kind: 'events', rows: [receipt('message.delivered', 'a'), receipt('message.read', 'a')] },
      {
        kind: 'events',
        rows: [receipt('message.failed', 'b', { reason: { code: 'blocked', message: 'by the customer' } })],
      },
    );
    expect(messages).toMatchObject([
      { id: 'a', status: 'read', changedAt: sent + 1_000 },
      { id: 'b', status: 'failed', reason: 'blocked: by the customer' },
      { id: 'c', status: 'accepted' },
    ]);
  });

  it('keeps the status of a message that arrives with a newer one than its event', () => {
    const { messages } = reduced(
      { kind: 'messages', rows: [message('a', { status: 'read' })] },
      { kind: 'events', rows: [receipt('message.delivered', 'a')] },
    );
    expect(messages).toMatchObject([{ status: 'read' }]);
  });

  it('changes nothing of an earlier state', () => {
    const before = reduced({ kind: 'messages', rows: [message('a')] });
    const kept = structuredClone(before);
    reduce(before, { kind: 'events', rows: [receipt('message.read', 'a')] });
    reduce(before, { kind: 'messages', rows: [message('b')] });
    expect(before).toEqual(kept);
  });

  it('forgets all records at a reset, but counts on, so that screens ask again', () => {
    const state = reduced(
      { kind: 'messages', rows: [message('a')] },
      { kind: 'changed', topics: ['clock'] },
      { kind: 'reset', from: { messages: 0, replies: 0, events: 0, requests: 0 } },
      { kind: 'changed', topics: ['clock'] },
    );
    expect(state).toMatchObject({ messages: [], versions: { clock: 2 } });
  });

  it('keeps the newest 20,000 messages', () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => message(String(at)));
    const state = reduced(...Array.from({ length: 5 }, (): FeedRecord => ({ kind: 'messages', rows })));
    expect(state.messages).toHaveLength(20_000);
  });
});

describe('the phones', () => {
  const reply = { id: 'r', from: '+1', text: 'Thanks', contact: 'c', at: sent + 500 };

  it('have messages and replies in order', () => {
    const later = message('b', { sent_at: new Date(sent + 1_000).toISOString() });
    const state = reduced({ kind: 'messages', rows: [message('a'), later] }, { kind: 'replies', rows: [reply] });
    expect(
      phonesIn(state)
        .get('+1')
        ?.items.map(({ kind }) => kind),
    ).toEqual(['message', 'reply', 'message']);
  });

  it('have replies between the messages also while the clock is frozen', () => {
    const rows = [message('1'), message('3')];
    const replies = [{ ...reply, id: '2', at: sent }];
    const phone = phonesIn(reduced({ kind: 'messages', rows }, { kind: 'replies', rows: replies })).get('+1');
    expect(phone?.items.map(({ kind }) => kind)).toEqual(['message', 'reply', 'message']);
  });

  it('are those with the newest messages, then the test numbers', () => {
    const other = message('b', { to: '+2', sent_at: new Date(sent + 1).toISOString() });
    const test = message('c', { to: '+12025550102', sent_at: new Date(sent + 2).toISOString() });
    const state = reduced({ kind: 'messages', rows: [message('a'), other, test] });
    expect(inOrder(phonesIn(state).values()).map(({ phone }) => phone)).toEqual([
      '+2',
      '+1',
      '+12025550101',
      '+12025550102',
      '+12025550103',
    ]);
  });

  it('are in the order of their last messages while the clock is frozen', () => {
    const rows = [message('a'), message('b', { to: '+2' }), message('c')];
    const phones = phonesIn(reduced({ kind: 'messages', rows }));
    expect(inOrder(phones.values()).slice(0, 2)).toMatchObject([{ phone: '+1' }, { phone: '+2' }]);
    expect(newestOf(phones.values())).toMatchObject({ phone: '+1' });
  });

  it('have no newest one without messages', () => {
    expect(newestOf(phonesIn(emptyState).values())).toBeUndefined();
  });

  it.each([
    ['the same content', {}, true],
    ['another number', { to: '+2' }, false],
    ['another template', { template: 'u' }, false],
    ['other params', { params: ['Grace'] }, false],
    ['the same content after eleven minutes', { sent_at: new Date(sent + 660_000).toISOString() }, false],
  ])('mark a second message with %s: %j → %j', (_, given, isRepeat) => {
    const state = reduced({ kind: 'messages', rows: [message('a'), message('b', given)] });
    const items = [...phonesIn(state).values()].flatMap((phone) => phone.items);
    expect(items.at(-1)).toMatchObject({ message: { id: 'b' }, isRepeat });
  });

  it.each([
    ['+1', true],
    ['grace', true],
    ['hello', true],
    [' ', true],
    ['thanks', false],
  ])('are found by number, name and text: %j', (search, found) => {
    const phone = phonesIn(reduced({ kind: 'messages', rows: [message('a')] })).get('+1');
    expect(phone && isMatch(phone, 'Grace', search)).toBe(found);
  });
});
