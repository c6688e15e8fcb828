import { describe, expect, it } from 'vitest';
import { announced, endpoints, statuses } from '../../src/contract/endpoints.ts';
import { events } from '../../src/contract/events.ts';
import { isLocalKey, keyPrefixes, modeOf, scopes } from '../../src/contract/keys.ts';

describe('the contract matches the document', () => {
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
});
