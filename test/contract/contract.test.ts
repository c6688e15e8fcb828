import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { announced, endpoints } from '../../src/contract/endpoints.ts';
import { events } from '../../src/contract/events.ts';
import { isLocalKey, keyPrefixes, modeOf, scopes } from '../../src/contract/keys.ts';
import { plans } from '../../src/contract/plans.ts';
import { statuses } from '../../src/contract/statuses.ts';

describe('the contract matches the document', () => {
  it('in §4: the endpoints', () => {
    const table = Object.values(endpoints).map(({ method, path, family }) => `${method} ${path} ${family}`);
    expect(table).toEqual([
      'POST /api/public/messages/send-template Messages',
      'GET /api/public/contacts Contacts',
      'POST /api/public/contacts Contacts',
      'GET /api/public/templates Templates',
      'GET /api/public/campaigns Templates',
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

it('lists every gap of the document as notShown, and no more', () => {
  const folder = new URL('../../src/contract/', import.meta.url);
  const lines = readdirSync(folder).flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .split('\n')
      .filter((line) => line.includes('read.notShown'))
      .map((line) => `${file} ${/(\w+)(?: =|:)/.exec(line)?.[1]}`),
  );
  expect(lines).toEqual([
    ...[
      'answer',
      'query',
      'pagination',
      'answer',
      'body',
      'success',
      'answer',
      'query',
      'answer',
      'query',
      'answer',
    ].map(
      (name) => `endpoints.ts ${name}`, // §4, and §2 for the other fields of a send's answer
    ),
    ...['contact', 'template', 'campaign'].map((name) => `endpoints.ts ${name}`), // §2
    ...['paths', 'methods', 'shapes'].map((name) => `endpoints.ts ${name}`), // §4, announced
    ...['scheme', 'selection', 'deprecation'].map((name) => `endpoints.ts ${name}`), // §9
    'events.ts messageStates', // §3
    ...['registration', 'payload', 'signing', 'retries', 'expectedAnswer'].map((name) => `events.ts ${name}`), // §6
    'keys.ts scopeEndpoints', // §5.10
    ...['monthUsedUp', 'rateHeaders', 'minuteWindow', 'endpoints'].map((name) => `plans.ts ${name}`), // §8
    ...['body', 'codes'].map((name) => `statuses.ts ${name}`), // §7
  ]);
});
