import { describe, expect, it } from 'vitest';
import { announced, endpoints } from '../../src/contract/endpoints.ts';
import { events } from '../../src/contract/events.ts';
import { isLocalKey, keyPrefixes, modeOf, scopes } from '../../src/contract/keys.ts';
import { plans } from '../../src/contract/plans.ts';
import { statuses } from '../../src/contract/statuses.ts';

describe('the contract matches the document', () => {
  it('in §4: the endpoints', () => {
    const table = Object.values(endpoints).map(({ method, path }) => `${method} ${path}`);
    expect(table).toEqual([
      'POST /api/public/messages/send-template',
      'GET /api/public/contacts',
      'POST /api/public/contacts',
      'GET /api/public/templates',
      'GET /api/public/campaigns',
    ]);
  });

  it('in §2: features that are only announced, by family', () => {
    expect(Object.fromEntries(announced.map(({ family, features }) => [family, features]))).toEqual({
      Messages: ['media sending', 'delivery-status lookup', 'plain text and interactive sending'],
      Contacts: ['contact update', 'tagging', 'segments'],
      Flows: ['trigger a flow'],
      Templates: ['template submission', 'approval-status check'],
      Webhooks: ['webhook management'],
      Analytics: ['campaign, conversation and agent-performance metrics'],
    });
  });

  it('in §6: the events and when they fire', () => {
    expect(events).toEqual({
      'message.received': 'A customer sends a new inbound message.',
      'message.delivered': "An outbound message reaches the customer's device.",
      'message.read': 'The customer reads a message.',
      'message.failed': 'A message fails to send. An error reason is attached.',
      'flow.completed': 'A contact finishes running through an automation flow.',
      'broadcast.completed': 'A broadcast campaign has finished sending to its full audience.',
      'contact.created': 'A new contact is added to the account.',
      'order.paid': 'A payment link sent in a chat, issued through a payment provider, is paid successfully.',
    });
  });

  it('in §7: the statuses and their causes', () => {
    expect(Object.entries(statuses).map(([status, { name, cause }]) => [Number(status), name, cause])).toEqual([
      [400, 'Bad Request', 'The request body is missing a required field or is malformed.'],
      [401, 'Unauthorized', 'The key is missing, invalid or revoked.'],
      [403, 'Forbidden', 'The plan does not include access to the endpoint.'],
      [404, 'Not Found', 'The referenced resource ID does not exist.'],
      [429, 'Rate Limited', "The plan's requests-per-minute limit has been exceeded."],
      [500, 'Server Error', 'A fault on the service side. Persisting faults are to be reported to support.'],
    ]);
  });

  it('in §8: the plans', () => {
    expect(Object.entries(plans).map(([name, { perMinute, perMonth }]) => [name, perMinute, perMonth])).toEqual([
      ['starter', 60, 3_000],
      ['growth', 300, 15_000],
      ['scale', 1_000, 50_000],
      ['enterprise', undefined, undefined],
    ]);
  });

  it('in §5: keys and scopes', () => {
    expect(keyPrefixes).toEqual({ sandbox: 'sk_test_', live: 'sk_live_' });
    expect(scopes).toEqual(['read-only', 'send-only', 'full']);
    expect(['sk_test_1', 'sk_live_1', 'pk_1'].map(modeOf)).toEqual(['sandbox', 'live', undefined]);
    expect(['sk_test_local-1', 'sk_live_local-1', 'sk_live_1', 'local-1'].map(isLocalKey)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('the readers', () => {
  const { body, answer } = endpoints.sendTemplate;

  it('accept a message as shown in §2', () => {
    expect(body({ to: '+12025550101', template: 'a', params: ['x'], more: 1 })).toEqual({
      to: '+12025550101',
      template: 'a',
      params: ['x'],
    });
    expect(answer({ message_id: 'm', more: null })).toEqual({ message_id: 'm', more: null });
  });

  it.each([
    [{ template: 'a', params: [] }, '/to'],
    [{ to: 12, template: 'a', params: [] }, '/to'],
    [{ to: '12025550101', template: 'a', params: [] }, '/to'],
    [{ to: '+1202555 0101', template: 'a', params: [] }, '/to'],
    [{ to: '+1', template: null, params: [] }, '/template'],
    [{ to: '+1', template: 'a', params: 'x' }, '/params'],
    [{ to: '+1', template: 'a', params: ['x', 1] }, '/params/1'],
    [[], ''],
    [null, ''],
  ])('refuse %j and name the position', (value, at) => {
    expect(() => body(value)).toThrow(expect.objectContaining({ name: 'Mismatch', at }));
  });
});
